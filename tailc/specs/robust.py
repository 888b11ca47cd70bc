"""How far off the inputs of a compile may be."""

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
    written,
)
from tailc.specs.simulation_fields import METHOD_AT, OBJECTIVE_AT, RATE, SIMULATION
from tailc.units import PERCENT

# Each is a scene of its own, and the worst of a few tells as much as the worst of many.
MOST_RESAMPLES = 20


def _error(value: object) -> int:
    ppm = quantity(PERCENT, positive=False)(value)
    if ppm >= PPM:
        message = f"must be from 0 % to below 100 %, not {written(value)}"
        raise RefusalError(Complaint(Code.BAD_VALUE, message, "for example `10%`"))
    return ppm


ErrorPpm = Annotated[
    int,
    BeforeValidator(_error),
    WithJsonSchema(quantity_schema("From 0 % to below 100 %.", PERCENT)),
]


@dataclass(frozen=True)
class Ambiguity:
    """How far off each input may be, in millionths of it; 0 is not in doubt.

    demand_ppm: all demands longer or shorter. tail_ppm: those above the percentile `tail_from_ppm`,
    further above it. speedup_ppm: all rungs above speed 1, slower, and types of cores below it.
    mixture_ppm: of the requests, so many come from a single one of the days in the column `days`;
    None: no days are known. resamples: other samples of as many requests.
    """

    demand_ppm: int
    tail_ppm: int
    tail_from_ppm: int
    speedup_ppm: int
    mixture_ppm: int
    days: str | None
    resamples: int


class RobustSpec(SpecModel):
    """Which errors of the inputs a table shall stand."""

    demand_ppm: ErrorPpm = Field(
        default=100_000,
        alias="demand",
        description="Demands are longer, or shorter, by this part.",
        json_schema_extra={"default": "10%"},
    )
    tail_ppm: ErrorPpm = Field(
        default=200_000,
        alias="tail",
        description="The part of a demand above `tail_from` is longer by this part.",
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
            message = "is of one day's requests, but no column has the days"
            hint = "add `days:` with the column, or remove it"
            raise RefusalError(Complaint(Code.MISSING_KEY, message, hint, ("mixture",)))
        return self

    @property
    def ambiguity(self) -> Ambiguity:
        """The same, with what is absent."""
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
    """For a spec without simulation: errors are stood at rates, some when tuned."""
    if spec is None:
        return
    if not rates_mrps:
        message = "asks how large errors the table stands, but no `rates` are given at which"
        yield Complaint(Code.MISSING_KEY, message, "add `rates: [30/s, 40/s]`", _AT)
    for name in _OF_SCENES:
        if name in spec.model_fields_set:
            message = f"is for tables that are tuned, by the method `{SIMULATION}`"
            key = name.removesuffix("_ppm")
            hint = f"remove it, or set `method: {SIMULATION}`"
            yield Complaint(Code.CONFLICT, message, hint, (*_AT, key), METHOD_AT)


def robust_rate_complaints(spec: RobustSpec | None) -> Iterator[Complaint]:
    """For a spec whose objective is the highest rate."""
    if spec is not None:
        message = f"tells what a table stands at `rates`, and the objective `{RATE}` looks for one"
        hint = "set `objective: tail`, or remove it"
        yield Complaint(Code.CONFLICT, message, hint, _AT, OBJECTIVE_AT)


def day_complaints(spec: RobustSpec | None, demand: DemandSpec) -> Iterator[Complaint]:
    """Days are of rows, which are requests by themselves."""
    if spec is None or spec.days is None:
        return
    merging = {"bin": demand.bin_us is not None, "timings": demand.has_timings}
    for name, merges in merging.items():
        if merges:
            message = f"tells the days of rows, which `demand.{name}` merges"
            yield Complaint(Code.CONFLICT, message, "remove one", (*_AT, "days"), ("demand", name))


def asked_besides(overrides: Mapping[str, object], spec: RobustSpec | None) -> Mapping[str, object]:
    """Overrides of a search but for its errors, where it has its own."""
    if spec is None:
        return overrides
    return {name: value for name, value in overrides.items() if name != "robust"}


def ambiguity_of(
    spec: RobustSpec | None, rates_mrps: Sequence[int], *, looks_for_rate: bool
) -> Ambiguity | None:
    """How far off inputs may be, where that is asked; TailcError without rates to ask it of."""
    if spec is None:
        return None
    if not rates_mrps:
        message = "how large errors a table stands is asked of rates, and there are none"
        raise TailcError(Finding(Code.MISSING_KEY, message, help="add `rates: [30/s, 40/s]`"))
    if looks_for_rate:
        message = f"the objective `{RATE}` looks for one rate, and errors are stood at given ones"
        raise TailcError(Finding(Code.CONFLICT, message, help="set `objective: tail`"))
    return spec.ambiguity
