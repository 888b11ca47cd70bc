"""What a user writes for an autopro policy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator

from tailc.errors import Code, Finding, TailcError
from tailc.forms.shares import LARGEST_COVARIANCE
from tailc.specs.fields import (
    PERCENT_SCHEMA,
    POSITIVE_SCHEMA,
    PPM,
    Complaint,
    DurationUs,
    Name,
    OpenPercentPpm,
    RefusalError,
    SpecModel,
    Text,
    Whole,
    exact,
    quantity,
    quantity_schema,
    written,
)
from tailc.specs.slo import Slo
from tailc.specs.throughput import ThroughputSpec
from tailc.units import PERCENT, RATE, format_us

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
LEAST_PPM = 50_000
TOLERANCE_PPM = 50_000
SHORTAGE_STEPS = 20
MOST_SHORTAGE_STEPS = 1_000_000
# A step: windows that all but overlap say nothing new, and cost a replay and a runtime the same.
MOST_ESTIMATES = 1_000


@dataclass(frozen=True)
class Target:
    """Work a second in thousandths, or a part of the model's throughput on the whole host."""

    milli: int | None = None
    ppm: int | None = None


def _target(value: object) -> Target:
    if isinstance(value, Target):
        return value
    steps = quantity(RATE, PERCENT)(value)
    return Target(ppm=steps) if "%" in str(value) else Target(milli=steps)


def _share(value: object) -> int:
    ppm = quantity(PERCENT)(value)
    if ppm > PPM:
        message = f"must be at most the whole host, not {written(value)}"
        raise RefusalError(Complaint(Code.BAD_VALUE, message, "for example `100%`"))
    return ppm


def _pole(value: object) -> int:
    ppm = round(exact(value) * PPM)
    if not 0 <= ppm < PPM:
        hint = f"smaller is faster; {POLE:g} is usual"
        message = f"must lie from 0 to below 1, not {written(value)}"
        raise RefusalError(Complaint(Code.BAD_VALUE, message, hint))
    return ppm


def _forgetting(value: object) -> int:
    ppm = round(exact(value) * PPM)
    if not 0 < ppm <= PPM:
        hint = f"1 forgets nothing; {FORGETTING:g} is usual"
        message = f"must lie above 0 and be at most 1, not {written(value)}"
        raise RefusalError(Complaint(Code.BAD_VALUE, message, hint))
    return ppm


def _least_estimate(step_us: int) -> str:
    """The shortest time between estimates that divides a step, as a spec has it."""
    most = next(n for n in range(MOST_ESTIMATES, 0, -1) if step_us % n == 0)
    return format_us(step_us // most).replace(" ", "")


TargetField = Annotated[
    Target,
    BeforeValidator(_target),
    WithJsonSchema(
        quantity_schema("Work a second, or a part of what the whole host does.", RATE, PERCENT)
    ),
]
SharePpm = Annotated[int, BeforeValidator(_share), WithJsonSchema(PERCENT_SCHEMA)]
PolePpm = Annotated[
    int,
    BeforeValidator(_pole),
    WithJsonSchema({"type": "number", "minimum": 0, "exclusiveMaximum": 1}),
]
ForgettingPpm = Annotated[
    int, BeforeValidator(_forgetting), WithJsonSchema({**POSITIVE_SCHEMA, "maximum": 1})
]


class MachineSpec(SpecModel):
    """A virtual machine with a target."""

    name: Text = Field(examples=["encoder"], description="Its name, as in the trace.")
    target: TargetField = Field(
        examples=["30/s"],
        description="Units of its work a second, or a part of what the whole host would do.",
    )


class HostSpec(SpecModel):
    """What there is to share."""

    most_ppm: SharePpm = Field(
        default=PPM,
        alias="most",
        description="What all machines get together at most.",
        json_schema_extra={"default": "100%"},
    )
    least_ppm: OpenPercentPpm = Field(
        default=LEAST_PPM,
        alias="least",
        description="What each machine with a target gets at least: smaller caps are not precise.",
        json_schema_extra={"default": "5%"},
    )


class ControlSpec(SpecModel):
    """How shares follow from throughput, and how often."""

    law: Literal["pole-placement", "observer"] = Field(
        default="pole-placement",
        description="What decides on a share: the published law, or one that corrects its model "
        "by what its last two errors have in common.",
    )
    pole_ppm: PolePpm = Field(
        default=round(POLE * PPM),
        alias="pole",
        description="What is left of an error after a step.",
        json_schema_extra={"default": POLE},
    )
    window_us: DurationUs = Field(
        default=WINDOW_US,
        alias="window",
        description="What throughput is a mean over.",
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
        description="How often the model is estimated anew.",
        json_schema_extra={"default": "50ms"},
    )
    enforce_us: DurationUs = Field(
        default=ENFORCE_US,
        alias="enforce",
        description="The period of the scheduler's caps.",
        json_schema_extra={"default": "50ms"},
    )
    forgetting_ppm: ForgettingPpm = Field(
        default=round(FORGETTING * PPM),
        alias="forgetting",
        description="What a sample counts for at the next estimate.",
        json_schema_extra={"default": FORGETTING},
    )
    first_covariance: Annotated[Whole, Field(ge=1, le=LARGEST_COVARIANCE)] = Field(
        default=FIRST_COVARIANCE,
        description="How little the first model is trusted: 1 is as much as one sample. No "
        "later one is trusted less.",
    )
    least_b_ppm: OpenPercentPpm = Field(
        default=LEAST_B_PPM,
        alias="least_b",
        description="Estimates whose b is smaller, as a part of the target, are not believed.",
        json_schema_extra={"default": "5%"},
    )
    shortage_steps: Annotated[Whole, Field(ge=1, le=MOST_SHORTAGE_STEPS)] = Field(
        default=SHORTAGE_STEPS,
        description="Steps in a row, short of share and below target, that tell that a target "
        "cannot be met.",
    )

    @model_validator(mode="after")
    def _check_step(self) -> ControlSpec:
        if self.step_us % self.estimate_us:
            message = f"makes the step of {format_us(self.step_us)} no whole number of estimates"
            hint = "make `step` a multiple of `estimate`"
            raise RefusalError(Complaint(Code.CONFLICT, message, hint, *self._timing()))
        if (estimates := self.step_us // self.estimate_us) > MOST_ESTIMATES:
            message = (
                f"makes {estimates:,} estimates a step of {format_us(self.step_us)}, and "
                f"{MOST_ESTIMATES:,} are the most"
            )
            hint = f"`estimate: {_least_estimate(self.step_us)}` is the least for this step"
            raise RefusalError(Complaint(Code.CONFLICT, message, hint, *self._timing()))
        return self

    def _timing(self) -> tuple[tuple[str], ...]:
        """Which of the two times are written, the step first; one is, for the defaults agree."""
        fields = (("step_us", "step"), ("estimate_us", "estimate"))
        return tuple((key,) for field, key in fields if field in self.model_fields_set)


class AutoProSpec(SpecModel):
    """An autopro policy: shares of a host's processors that follow throughput targets."""

    api_version: Literal["tailc/v1"] = Field(alias="apiVersion", description="The spec language.")
    kind: Literal["autopro"] = Field(description="The kind of policy.")
    name: Name = Field(examples=["encoders"], description="Name of the policy.")
    demand: ThroughputSpec = Field(
        alias="throughput",
        description="Where throughput was measured, and how to read it.",
        examples=[{"trace": "traces/design.parquet"}],
    )
    machines: Annotated[tuple[MachineSpec, ...], Field(min_length=1)] = Field(
        examples=[[{"name": "encoder", "target": "30/s"}]], description="Machines with targets."
    )
    batch: tuple[Text, ...] = Field(
        default=(), examples=[["nightly"]], description="Machines that share what is left."
    )
    tolerance_ppm: OpenPercentPpm = Field(
        default=TOLERANCE_PPM,
        alias="tolerance",
        description="The promise: a machine's mean absolute error, relative to its target.",
        json_schema_extra={"default": "5%"},
    )
    host: HostSpec = Field(default_factory=HostSpec)
    control: ControlSpec = Field(default_factory=ControlSpec)

    @model_validator(mode="after")
    def _check_parts(self) -> AutoProSpec:
        complaints = [complaint for check in self.checks_between() for complaint in check()]
        if complaints:
            raise RefusalError(*complaints)
        return self

    def checks_between(self) -> tuple[Callable[[], list[Complaint]], ...]:
        """Names against each other, and the least shares against the host."""
        return (self._repeated_names, self._least_shares)

    def _repeated_names(self) -> list[Complaint]:
        paths: list[tuple[tuple[str | int, ...], str]] = [
            *((("machines", at, "name"), each.name) for at, each in enumerate(self.machines)),
            *((("batch", at), name) for at, name in enumerate(self.batch)),
        ]
        first: dict[str, tuple[str | int, ...]] = {}
        return [
            Complaint(Code.CONFLICT, "is the name of another machine", "rename one", path, also)
            for path, name in paths
            if (also := first.setdefault(name, path)) != path
        ]

    def _least_shares(self) -> list[Complaint]:
        together_ppm = self.host.least_ppm * len(self.machines)
        if together_ppm <= self.host.most_ppm:
            return []
        message = f"is given to {len(self.machines)} machines, which is more than the host"
        hint = "lower it, or move machines to another host"
        at = ("host", "least") if "least_ppm" in self.host.model_fields_set else ("machines",)
        return [Complaint(Code.CONFLICT, message, hint, at)]

    @property
    def slos(self) -> tuple[Slo, ...]:
        """None: targets are of throughput, and stand in the form."""
        return ()

    @property
    def rates_mrps(self) -> tuple[int, ...]:
        """None: nothing arrives."""
        return ()

    @property
    def speedup(self) -> None:
        """None: throughput has no speed-ups."""
        return

    @property
    def max_degree(self) -> None:
        """None: throughput has no degrees."""
        return

    def with_search(self, overrides: Mapping[str, Any]) -> AutoProSpec:
        """The spec itself; there is nothing to search, so TailcError (USAGE) for any override."""
        if overrides:
            option = "--" + next(iter(overrides)).replace("_", "-")
            message = f"`{option}` is nothing that a `{self.kind}` policy has"
            raise TailcError(Finding(Code.USAGE, message, help="leave it out"))
        return self
