"""Spec keys for the controller of a slow-to-fast policy."""

from __future__ import annotations

import itertools
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
from tailc.problems.control import MAX_SENSITIVITY
from tailc.specs.fields import (
    Complaint,
    RateMrps,
    RefusalError,
    SpecModel,
    Whole,
    exact,
    quantity,
    quantity_schema,
    value_text,
    with_short_form,
)
from tailc.units import COUNT, plural

# Haque et al., MICRO 2017, section 5.4. The dissertation has epochs of 2,000 requests instead.
EPOCH_REQUESTS = 500
WINDOW_REQUESTS = 2_000
MAX_REQUESTS = 1_000_000
# Haque et al., MICRO 2017, section 4.2: three intervals; six are hardly better (section 6.9).
INTERVALS = 3
MAX_INTERVALS = 64
MOST_GAIN = 1_000_000
LEAST_SENSITIVITY, MOST_SENSITIVITY = 1.05, 2.0


def _requests(value: object) -> int:
    requests = quantity(COUNT)(value)
    if requests > MAX_REQUESTS:
        message = f"must be at most {MAX_REQUESTS:,} requests, not {value_text(value)}"
        raise RefusalError(Complaint(Code.BAD_VALUE, message, "for example `1000 requests`"))
    return requests


def _gain(value: object) -> float:
    gain = float(exact(value))
    if abs(gain) > MOST_GAIN:
        message = f"must be from -{MOST_GAIN:,} to {MOST_GAIN:,}, not {value_text(value)}"
        raise RefusalError(Complaint(Code.BAD_VALUE, message, "for example `0.5`"))
    return gain


def _sensitivity(value: object) -> float:
    limit = float(exact(value))
    if not LEAST_SENSITIVITY <= limit <= MOST_SENSITIVITY:
        message = (
            f"must be from {LEAST_SENSITIVITY:g} to {MOST_SENSITIVITY:g}, not {value_text(value)}"
        )
        raise RefusalError(Complaint(Code.BAD_VALUE, message, "for example `1.4`"))
    return limit


Requests = Annotated[
    int,
    BeforeValidator(_requests),
    WithJsonSchema(quantity_schema("A number of requests.", COUNT)),
]
Gain = Annotated[float, BeforeValidator(_gain), WithJsonSchema({"type": "number"})]
Sensitivity = Annotated[
    float,
    BeforeValidator(_sensitivity),
    WithJsonSchema({"type": "number", "minimum": LEAST_SENSITIVITY, "maximum": MOST_SENSITIVITY}),
]


class GainsSpec(SpecModel):
    """Gains of the controller in one interval of rates.

    They are in ms of the first threshold (age of the first climb) per ms of error, in each epoch.
    """

    kp: Gain = Field(default=0.0, examples=[0.15], description="Gain for the change of the error.")
    ki: Gain = Field(examples=[0.25], description="Gain for the error.")
    kd: Gain = Field(default=0.0, description="Gain for the change of that change.")


class SlowToFastControl(SpecModel):
    """The controller that scales the thresholds (ages of climbs) with the load."""

    structure: Literal["pi", "pid", "off"] = Field(
        default="pi", description="Terms of the controller; `off`: thresholds never change."
    )
    max_sensitivity: Sensitivity = Field(
        default=MAX_SENSITIVITY,
        description="Largest sensitivity of a loop; a lower one is more robust and slower.",
    )
    epoch_requests: Requests = Field(
        default=EPOCH_REQUESTS,
        alias="epoch",
        description="Number of exits between two steps of the controller.",
        json_schema_extra={"default": f"{EPOCH_REQUESTS} requests"},
    )
    window_requests: Requests = Field(
        default=WINDOW_REQUESTS,
        alias="window",
        description="Number of requests over which the tail is measured.",
        json_schema_extra={"default": f"{WINDOW_REQUESTS} requests"},
    )
    intervals: Annotated[Whole, Field(ge=1, le=MAX_INTERVALS)] = Field(
        default=INTERVALS,
        description="Number of equal parts of the rates, each with its own gains.",
    )
    boundaries_mrps: Annotated[tuple[RateMrps, ...], Field(min_length=1)] | None = Field(
        default=None,
        alias="boundaries",
        description="Rates at which the gains change, instead of equal parts.",
    )
    gains: Annotated[tuple[GainsSpec, ...], Field(min_length=1)] | None = Field(
        default=None, description="Gains of each interval. Default: computed."
    )

    @model_validator(mode="before")
    @classmethod
    def _write_out(cls, value: Any) -> Any:
        """Convert `off` to `{structure: off}`."""
        return {"structure": value} if isinstance(value, str) else value

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return with_short_form({"enum": ["off", "pi", "pid"]}, handler(core_schema))

    @model_validator(mode="after")
    def _check_parts(self) -> SlowToFastControl:
        complaints = [*self._window(), *self._boundaries(), *self._gains()]
        if complaints:
            raise RefusalError(*complaints)
        return self

    def _window(self) -> list[Complaint]:
        if self.window_requests >= self.epoch_requests:
            return []
        hint = "set the window to at least one epoch"
        if "window_requests" in self.model_fields_set:
            message = f"is {self.window_requests:,} requests, less than an epoch"
            return [Complaint(Code.CONFLICT, message, hint, ("window",), ("epoch",))]
        message = (
            f"is {self.epoch_requests:,} requests, more than the {self.window_requests:,} of "
            "`control.window`, which is not given"
        )
        return [Complaint(Code.CONFLICT, message, hint, ("epoch",))]

    def _boundaries(self) -> list[Complaint]:
        rates = self.boundaries_mrps
        if rates is None:
            return []
        if "intervals" in self.model_fields_set:
            message = "and `control.intervals` both define how the rates are divided"
            index, also = ("boundaries",), ("intervals",)
            return [Complaint(Code.CONFLICT, message, "remove one", index, also)]
        return [
            Complaint(
                Code.BAD_VALUE,
                "is not above the one before it",
                "let them ascend",
                ("boundaries", index + 1),
            )
            for index, (low, high) in enumerate(itertools.pairwise(rates))
            if high <= low
        ]

    def _gains(self) -> list[Complaint]:
        if self.gains is None or len(self.gains) == self.sets:
            return []
        stated_gains, wanted = plural(len(self.gains), "set"), plural(self.sets, "interval")
        message = f"has {stated_gains}, but the rates have {wanted}"
        hint = "give one set of gains for each interval, or set `intervals` or `boundaries`"
        return [Complaint(Code.CONFLICT, message, hint, ("gains",))]

    @property
    def sets(self) -> int:
        """Number of ranges of arrival rates, each with gains of its own."""
        return self.intervals if self.boundaries_mrps is None else len(self.boundaries_mrps) + 1
