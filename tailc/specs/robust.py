"""Spec keys for errors of a compile's inputs that a table must tolerate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator

from tailc.errors import Code, Finding, TailcError
from tailc.specs.common import DemandSpec
from tailc.specs.fields import (
    PPM,
    Complaint,
    OpenPercentPpm,
    RefusalError,
    SpecModel,
    Text,
    Whole,
    quantity,
    quantity_schema,
    value_text,
)
from tailc.specs.simulation_fields import METHOD_AT, OBJECTIVE_AT, RATE, SIMULATION
from tailc.units import PERCENT

# Each resample is a case of the search; the worst of many is hardly worse than that of a few.
MOST_RESAMPLES = 20


def _error(value: object) -> int:
    ppm = quantity(PERCENT, positive=False)(value)
    if ppm >= PPM:
        message = f"must be from 0 % to below 100 %, not {value_text(value)}"
        raise RefusalError(Complaint(Code.BAD_VALUE, message, "for example `10%`"))
    return ppm


ErrorPpm = Annotated[
    int,
    BeforeValidator(_error),
    WithJsonSchema(quantity_schema("From 0 % to below 100 %.", PERCENT)),
]


@dataclass(frozen=True)
class Ambiguity:
    """The uncertainty set of a robust compile: largest relative error of each input; 0: no error.

    In millionths of the input. demand_ppm: of all demands, in both directions. tail_ppm: of the
    part of demands above the percentile `tail_from_ppm`, only upwards. speedup_ppm: of rungs above
    speed 1 and of core types below it, only slower. mixture_ppm: share of requests that are from a
    single day of those in the column `days`; None if days are unknown. resamples: number of
    bootstrap samples of the requests.
    """

    demand_ppm: int
    tail_ppm: int
    tail_from_ppm: int
    speedup_ppm: int
    mixture_ppm: int
    days: str | None
    resamples: int


class RobustSpec(SpecModel):
    """Errors of the inputs that a table must tolerate."""

    demand_ppm: ErrorPpm = Field(
        default=100_000,
        alias="demand",
        description="Relative error of demands, in both directions.",
        json_schema_extra={"default": "10%"},
    )
    tail_ppm: ErrorPpm = Field(
        default=200_000,
        alias="tail",
        description=(
            "Relative error of the part of a demand above `tail_from`; it is only made longer."
        ),
        json_schema_extra={"default": "20%"},
    )
    tail_from_ppm: OpenPercentPpm = Field(
        default=900_000,
        alias="tail_from",
        description="Percentile of demand where the tail begins.",
        json_schema_extra={"default": "90%"},
    )
    speedup_ppm: ErrorPpm = Field(
        default=100_000,
        alias="speedup",
        description="Rungs above speed 1 are slower by this part, but no slower than 1; types of "
        "cores below 1 are slower too.",
        json_schema_extra={"default": "10%"},
    )
    days: Text | None = Field(
        default=None,
        examples=["arrived_at"],
        description="Column with the day of a request, or its date and time. Default: days are "
        "not distinguished.",
    )
    mixture_ppm: ErrorPpm | None = Field(
        default=None,
        alias="mixture",
        description="Largest share of requests from one day. Default: 20%.",
    )
    resamples: Annotated[Whole, Field(ge=0, le=MOST_RESAMPLES)] = Field(
        default=3, description="Bootstrap samples of the requests."
    )

    @model_validator(mode="after")
    def _check_days(self) -> RobustSpec:
        if self.mixture_ppm is not None and self.days is None:
            message = "needs the day of each request, but `days` names no column"
            hint = "add `days: COLUMN`, or remove it"
            raise RefusalError(Complaint(Code.MISSING_KEY, message, hint, ("mixture",)))
        return self

    @property
    def ambiguity(self) -> Ambiguity:
        """The uncertainty set of the spec, with defaults for errors that are not stated."""
        mixture_ppm = 200_000 if self.mixture_ppm is None else self.mixture_ppm
        return Ambiguity(
            self.demand_ppm,
            self.tail_ppm,
            self.tail_from_ppm,
            self.speedup_ppm,
            mixture_ppm if self.days is not None else 0,
            self.days,
            self.resamples,
        )


_AT = ("search", "robust")
# What only tables that are tuned on the replay can be tried on.
_OF_SCENES = ("days", "mixture_ppm", "resamples")


def untuned_complaints(spec: RobustSpec | None, rates_mrps: Sequence[int]) -> Iterator[Complaint]:
    """Report errors of inputs (`robust`) that need rates or tuning, in a spec without them."""
    if spec is None:
        return
    if not rates_mrps:
        message = (
            "needs arrival rates to compute which errors the table tolerates, but `rates` is "
            "missing"
        )
        yield Complaint(Code.MISSING_KEY, message, "add `rates: [30/s, 40/s]`", _AT)
    for name in _OF_SCENES:
        if name in spec.model_fields_set:
            message = f"applies only to tables that the method `{SIMULATION}` tunes"
            key = name.removesuffix("_ppm")
            hint = f"remove it, or set `method: {SIMULATION}`"
            yield Complaint(Code.CONFLICT, message, hint, (*_AT, key), METHOD_AT)


def robust_rate_complaints(spec: RobustSpec | None) -> Iterator[Complaint]:
    """Report errors of inputs if the objective is the highest rate."""
    if spec is not None:
        message = f"needs given `rates`, but the objective `{RATE}` searches for a rate"
        hint = "set `objective: tail`, or remove it"
        yield Complaint(Code.CONFLICT, message, hint, _AT, OBJECTIVE_AT)


def day_complaints(spec: RobustSpec | None, demand: DemandSpec) -> Iterator[Complaint]:
    """Report that rows of a trace are merged although a robust compile needs their days."""
    if spec is None or spec.days is None:
        return
    merging = {"bin": demand.bin_us is not None, "timings": demand.has_timings}
    for name, merges in merging.items():
        if merges:
            message = f"needs the day of each row, but `demand.{name}` merges rows"
            yield Complaint(
                Code.CONFLICT,
                message,
                f"remove `days` or `{name}`",
                (*_AT, "days"),
                ("demand", name),
            )


def asked_besides(overrides: Mapping[str, object], spec: RobustSpec | None) -> Mapping[str, object]:
    """Select the overrides that apply: `robust` does not if the spec states errors itself.

    overrides: from the command line. Errors are those of the inputs of a compile.
    """
    if spec is None:
        return overrides
    return {name: value for name, value in overrides.items() if name != "robust"}


def ambiguity_of(
    spec: RobustSpec | None, rates_mrps: Sequence[int], *, looks_for_rate: bool
) -> Ambiguity | None:
    """Make the uncertainty set of a compile from the spec; None if no errors are requested.

    Raises TailcError without rates.
    """
    if spec is None:
        return None
    if not rates_mrps:
        message = (
            "`rates` is missing: the input errors that a table tolerates are evaluated at these "
            "arrival rates"
        )
        raise TailcError(Finding(Code.MISSING_KEY, message, help="add `rates: [30/s, 40/s]`"))
    if looks_for_rate:
        message = (
            f"errors are tolerated at given rates, but the objective `{RATE}` searches for a rate"
        )
        raise TailcError(Finding(Code.CONFLICT, message, help="set `objective: tail`"))
    return spec.ambiguity
