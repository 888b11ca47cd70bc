"""Spec keys for the feedback that scales the latency bound of a rubik policy."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Any, Literal

from pydantic import (
    BeforeValidator,
    Field,
    GetJsonSchemaHandler,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import CoreSchema

from tailc.errors import Code
from tailc.forms.controller import LARGEST_OUTPUT_PPM, PPM, Actuator
from tailc.specs.fields import (
    Complaint,
    DurationUs,
    RefusalError,
    SpecModel,
    exact,
    quantity,
    quantity_schema,
    value_text,
    with_short_form,
)
from tailc.units import PERCENT, format_ppm, format_us

# Bartolini, dissertation, 2015, section 3.4.2: a second is measured, ten times a second. Gains and
# limits are not given there; these are ours, the fastest of a maximum sensitivity below 1.4 where a
# bound longer by a share makes the tail longer by that share (see docs/rubik.md).
WINDOW_US, EPOCH_US = 1_000_000, 100_000
KP, KI = Fraction("0.4"), Fraction("0.13")
TARGET_PPM, LEAST_PPM, MOST_PPM = 980_000, 100_000, 2_000_000
LARGEST_GAIN = 10
_LARGEST_SCALE_PPM = LARGEST_OUTPUT_PPM[Actuator.LATENCY_BOUND]


def _gain(value: object) -> Fraction:
    gain = value if isinstance(value, Fraction) else exact(value)
    if not 0 <= gain <= LARGEST_GAIN:
        message = f"must be from 0 to {LARGEST_GAIN}, not {value_text(value)}"
        raise RefusalError(Complaint(Code.BAD_VALUE, message, "for example `0.5`"))
    return gain


def _scale(value: object) -> int:
    ppm = quantity(PERCENT)(value)
    if ppm > _LARGEST_SCALE_PPM:
        message = f"must be at most {format_ppm(_LARGEST_SCALE_PPM)}, not {value_text(value)}"
        raise RefusalError(Complaint(Code.BAD_VALUE, message, "for example `98%`"))
    return ppm


Gain = Annotated[
    Fraction,
    BeforeValidator(_gain),
    WithJsonSchema({"type": "number", "minimum": 0, "maximum": LARGEST_GAIN}),
]
ScalePpm = Annotated[
    int,
    BeforeValidator(_scale),
    WithJsonSchema(quantity_schema("A percentage, up to 200 %.", PERCENT)),
]


class FeedbackSpec(SpecModel):
    """The PI controller that scales the bound by the error of the measured tail."""

    structure: Literal["pi", "off"] = Field(
        default="pi", description="Gains of the controller; `off`: the bound is constant."
    )
    kp: Gain = Field(
        default=KP,
        description="Proportional gain: change of the bound per change of the error, both "
        "relative to the bound.",
        json_schema_extra={"default": float(KP)},
    )
    ki: Gain = Field(
        default=KI,
        description="Integral gain: change of the bound per error at each epoch, both relative to "
        "the bound.",
        json_schema_extra={"default": float(KI)},
    )
    target_ppm: ScalePpm = Field(
        default=TARGET_PPM,
        alias="target",
        description="Target of the measured tail, as a share of the bound.",
        json_schema_extra={"default": "98%"},
    )
    epoch_us: DurationUs = Field(
        default=EPOCH_US,
        alias="epoch",
        description="Time between two steps, counted in requests at the highest rate.",
        json_schema_extra={"default": "100ms"},
    )
    window_us: DurationUs = Field(
        default=WINDOW_US,
        alias="window",
        description="Time over which the tail is measured, counted in the same way.",
        json_schema_extra={"default": "1s"},
    )
    least_ppm: ScalePpm = Field(
        default=LEAST_PPM,
        alias="least",
        description="Smallest factor on the bound.",
        json_schema_extra={"default": "10%"},
    )
    most_ppm: ScalePpm = Field(
        default=MOST_PPM,
        alias="most",
        description="Largest factor on the bound.",
        json_schema_extra={"default": "200%"},
    )

    @model_validator(mode="before")
    @classmethod
    def _write_out(cls, value: Any) -> Any:
        """`off` is short for `{structure: off}`."""
        return {"structure": value} if isinstance(value, str) else value

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return with_short_form({"enum": ["off", "pi"]}, handler(core_schema))

    @model_validator(mode="after")
    def _check_parts(self) -> FeedbackSpec:
        complaints = [*self._limits(), *self._times()]
        if complaints:
            raise RefusalError(*complaints)
        return self

    def _limits(self) -> list[Complaint]:
        """The promised bound lies between them: it is what the controller begins with."""
        if self.target_ppm > PPM:
            message = "is more than 100 %, so the tail would miss the bound"
            return [Complaint(Code.BAD_VALUE, message, "lower it to 100 % or less", ("target",))]
        if self.least_ppm > PPM:
            message = "is more than 100 %, the initial output of the controller"
            return [Complaint(Code.BAD_VALUE, message, "lower it to 100 % or less", ("least",))]
        if self.most_ppm < PPM:
            message = "is less than 100 %, the initial output of the controller"
            return [Complaint(Code.BAD_VALUE, message, "raise it to 100 % or more", ("most",))]
        return []

    def _times(self) -> list[Complaint]:
        if self.window_us >= self.epoch_us:
            return []
        hint = "set the window to at least one epoch"
        if "window_us" in self.model_fields_set:
            message = f"is {format_us(self.window_us)}, shorter than an epoch"
            return [Complaint(Code.CONFLICT, message, hint, ("window",), ("epoch",))]
        message = (
            f"is {format_us(self.epoch_us)}, longer than the {format_us(self.window_us)} of "
            "`feedback.window`, which is not given"
        )
        return [Complaint(Code.CONFLICT, message, hint, ("epoch",))]

    @property
    def is_on(self) -> bool:
        """Whether the latency bound follows the measured percentile."""
        return self.structure != "off"
