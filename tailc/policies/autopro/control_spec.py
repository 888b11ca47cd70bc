"""Spec keys for the controller of an autopro policy: its law, periods and estimation."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator

from tailc.errors import Code
from tailc.forms.shares import LARGEST_COVARIANCE, LARGEST_HEADROOM_PPM, MOST_CAP_STEPS
from tailc.specs.fields import (
    PERCENT_SCHEMA,
    POSITIVE_SCHEMA,
    PPM,
    Complaint,
    DurationUs,
    OpenPercentPpm,
    RefusalError,
    SpecModel,
    Whole,
    exact,
    quantity,
    value_text,
)
from tailc.units import PERCENT, format_us

# Bartolini, 2015, section 2.4.1: what gave precise allocations on the benchmarks there.
WINDOW_US = STEP_US = 750_000
ESTIMATE_US = ENFORCE_US = 50_000
# Section 2.3.2: found by trying there; other poles do about as well.
POLE = 0.1
# The rest is open in the source, and ours. Samples of a step and a half ago count half; under a
# covariance of 1 phases are followed late, and beyond 100 nothing is won.
FORGETTING = 0.97
FIRST_COVARIANCE = 100
LEAST_B_PPM = 50_000
SHORTAGE_STEPS = 20
MOST_SHORTAGE_STEPS = 1_000_000
PROBE_STEPS = 20
# A cap of twice the share in use, and tests at half and twice: smaller steps are lost in noise.
HEADROOM_PPM = PPM
# A step: windows that all but overlap say nothing new, and cost a replay and a runtime the same.
MOST_ESTIMATES = 1_000


def _pole(value: object) -> int:
    ppm = round(exact(value) * PPM)
    if not 0 <= ppm < PPM:
        hint = f"smaller is faster; {POLE:g} is usual"
        message = f"must be at least 0 and below 1, not {value_text(value)}"
        raise RefusalError(Complaint(Code.BAD_VALUE, message, hint))
    return ppm


def _forgetting(value: object) -> int:
    ppm = round(exact(value) * PPM)
    if not 0 < ppm <= PPM:
        hint = f"1 forgets nothing; {FORGETTING:g} is usual"
        message = f"must be above 0 and at most 1, not {value_text(value)}"
        raise RefusalError(Complaint(Code.BAD_VALUE, message, hint))
    return ppm


def _headroom(value: object) -> int:
    ppm = quantity(PERCENT)(value)
    if not 0 < ppm <= LARGEST_HEADROOM_PPM:
        message = f"must be above 0 % and at most 1,000 %, not {value_text(value)}"
        raise RefusalError(Complaint(Code.BAD_VALUE, message, "`100%` is usual"))
    return ppm


def _least_estimate(step_us: int) -> str:
    """The shortest time between estimates that divides a step, as a spec has it."""
    most = next(n for n in range(MOST_ESTIMATES, 0, -1) if step_us % n == 0)
    return format_us(step_us // most).replace(" ", "")


PolePpm = Annotated[
    int,
    BeforeValidator(_pole),
    WithJsonSchema({"type": "number", "minimum": 0, "exclusiveMaximum": 1}),
]
ForgettingPpm = Annotated[
    int, BeforeValidator(_forgetting), WithJsonSchema({**POSITIVE_SCHEMA, "maximum": 1})
]


HeadroomPpm = Annotated[int, BeforeValidator(_headroom), WithJsonSchema(PERCENT_SCHEMA)]


class ControlSpec(SpecModel):
    """How shares are computed from throughput, and how often."""

    method: Literal["auto", "paper"] | None = Field(
        default=None,
        description="`paper`: the given law and pole (default if one of them is given). "
        "`auto` (default otherwise): if a constant share keeps a machine closer to its target in a "
        "replay of the trace, try the law `observer`, then a larger pole, then constant shares. A "
        "given `law` does not change.",
    )
    law: Literal["pole-placement", "observer"] = Field(
        default="pole-placement",
        description="Control law of the shares: the published one, or one that corrects its model "
        "by the common part of its last two errors.",
    )
    pole_ppm: PolePpm = Field(
        default=round(POLE * PPM),
        alias="pole",
        description="Fraction of an error of throughput that remains after a step.",
        json_schema_extra={"default": POLE},
    )
    window_us: DurationUs = Field(
        default=WINDOW_US,
        alias="window",
        description="Time over which throughput is averaged.",
        json_schema_extra={"default": "750ms"},
    )
    step_us: DurationUs = Field(
        default=STEP_US,
        alias="step",
        description="How often shares are decided; also the step of the model.",
        json_schema_extra={"default": "750ms"},
    )
    estimate_us: DurationUs = Field(
        default=ESTIMATE_US,
        alias="estimate",
        description="How often the model is estimated.",
        json_schema_extra={"default": "50ms"},
    )
    enforce_us: DurationUs = Field(
        default=ENFORCE_US,
        alias="enforce",
        description="Period of the scheduler's caps.",
        json_schema_extra={"default": "50ms"},
    )
    forgetting_ppm: ForgettingPpm = Field(
        default=round(FORGETTING * PPM),
        alias="forgetting",
        description="Weight of a sample at the next estimate, relative to the estimate before.",
        json_schema_extra={"default": FORGETTING},
    )
    first_covariance: Annotated[Whole, Field(ge=1, le=LARGEST_COVARIANCE)] = Field(
        default=FIRST_COVARIANCE,
        description="Uncertainty of the first model: 1 is that of one sample. It is also the "
        "largest uncertainty of later models.",
    )
    least_b_ppm: OpenPercentPpm = Field(
        default=LEAST_B_PPM,
        alias="min_b",
        description="Smallest accepted estimate of b, as a part of the target.",
        json_schema_extra={"default": "5%"},
    )
    shortage_steps: Annotated[Whole, Field(ge=1, le=MOST_SHORTAGE_STEPS)] = Field(
        default=SHORTAGE_STEPS,
        description="Number of consecutive steps with too small a share and throughput below "
        "target, after which a target counts as impossible.",
    )
    cap: bool = Field(
        default=True,
        description="Whether a machine that is short gets a cap if its throughput does not follow "
        "its share: it has too little work, or does not run.",
    )
    cap_steps: Annotated[Whole, Field(ge=1, le=MOST_CAP_STEPS)] | None = Field(
        default=None,
        description="Steps over which throughput is compared at two shares. Default: the "
        "number that the noise and the memory of the models require, at least 4.",
    )
    cap_probe_steps: Annotated[Whole, Field(ge=1, le=MOST_CAP_STEPS)] = Field(
        default=PROBE_STEPS,
        description="Steps of a cap until it is tested again, and steps without a new test after "
        "one in which throughput followed the share.",
    )
    cap_headroom_ppm: HeadroomPpm = Field(
        default=HEADROOM_PPM,
        alias="cap_headroom",
        description="How far a cap is above the share in use, relative to it. The two shares at "
        "which throughput is compared differ by the same factor.",
        json_schema_extra={"default": "100%"},
    )

    @model_validator(mode="after")
    def _check_cap(self) -> ControlSpec:
        fields = (
            ("cap_steps", "cap_steps"),
            ("cap_probe_steps", "cap_probe_steps"),
            ("cap_headroom_ppm", "cap_headroom"),
        )
        idle = [(key,) for field, key in fields if field in self.model_fields_set]
        if not self.cap and idle:
            message = "has no effect without caps"
            hint = "remove it, or `cap: false`"
            raise RefusalError(
                *(Complaint(Code.CONFLICT, message, hint, key, ("cap",)) for key in idle)
            )
        return self

    @model_validator(mode="after")
    def _check_step(self) -> ControlSpec:
        if self.step_us % self.estimate_us:
            step, estimate = format_us(self.step_us), format_us(self.estimate_us)
            if "step_us" in self.model_fields_set:
                message = f"is {step}, which is not a multiple of the estimate of {estimate}"
            else:
                message = f"is {estimate}, which does not divide the step of {step}"
            hint = "make `step` a multiple of `estimate`"
            raise RefusalError(Complaint(Code.CONFLICT, message, hint, *self._timing()))
        if (estimates := self.step_us // self.estimate_us) > MOST_ESTIMATES:
            message = (
                f"makes {estimates:,} estimates in a step of {format_us(self.step_us)}; the limit "
                f"is {MOST_ESTIMATES:,}"
            )
            hint = f"set `estimate: {_least_estimate(self.step_us)}` or more"
            raise RefusalError(Complaint(Code.CONFLICT, message, hint, *self._timing()))
        return self

    def _timing(self) -> tuple[tuple[str], ...]:
        """Which of the two times are written, the step first; one is, for the defaults agree."""
        fields = (("step_us", "step"), ("estimate_us", "estimate"))
        return tuple((key,) for field, key in fields if field in self.model_fields_set)
