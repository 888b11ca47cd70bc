"""What specs of several kinds say of simulation: a table that is tuned on replays with queues."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Literal

from pydantic import Field

from tailc.errors import Code, Finding, TailcError, did_you_mean
from tailc.specs.arrivals import (
    NOT_POISSON,
    Bursts,
    DayPpm,
    Recording,
    is_given,
)
from tailc.specs.fields import Complaint, OpenPercentPpm, SpecModel, Whole
from tailc.specs.load import spelled
from tailc.units import LARGEST

# Fewer requests tell nothing of a tail.
FEWEST_TUNED, TUNED = 1_000_000, 300_000_000
TunedRequests = Annotated[
    Whole,
    Field(
        ge=FEWEST_TUNED,
        le=LARGEST,
        description="Budget of the method `simulation`: requests that its search simulates.",
    ),
]
Weights = Annotated[
    tuple[Annotated[Whole, Field(ge=1, le=LARGEST)], ...],
    Field(
        description="Method `simulation`: weight of each of `rates`. Default: equal weights.",
        examples=[[1, 3]],
    ),
]
OptionalRules = Annotated[
    tuple[Literal["start-below", "give-up", "may-descend"], ...],
    Field(
        description="Method `simulation`: further rules that the server supports. `start-below`: "
        "start requests when the amount in use is below a limit. `give-up`: move late "
        "requests to the first rung. `may-descend`: move a request down if its row "
        "has a lower rung.",
        examples=[["start-below", "give-up"]],
    ),
]
Effort = Annotated[
    Literal["quick", "normal", "thorough"],
    Field(
        description="Method `auto`: amount of simulation; `normal` reaches nine tenths of the "
        "gain of `thorough`.",
    ),
]
RiskPpm = Annotated[
    OpenPercentPpm,
    Field(
        alias="risk",
        description="Method `auto`: largest part of the resamples of the trace in which the table "
        "may be worse than a setting by hand.",
        examples=["10%"],
        json_schema_extra={"default": "5%"},
    ),
]
RISK_PPM = 50_000
AUTO, SIMULATION, PAPER, RATE = "auto", "simulation", "paper", "rate"
METHOD_AT, OBJECTIVE_AT = ("search", "method"), ("search", "objective")
_AT = ("search",)
_OF_AUTO = ("effort", "risk")
_OF_BOTH = ("formula_method", "weights", *NOT_POISSON)
_OF_SIMULATION = ("requests", "optional_rules")


class TunedSearch(SpecModel):
    """How a table is tuned by simulation; each kind adds its methods and objectives."""

    requests: TunedRequests = TUNED
    weights: Weights = ()
    bursts: Bursts = None
    diurnal_ppm: DayPpm = None
    recorded: Recording = None


class AutoSearch(TunedSearch):
    """How the best table is looked for by the method `auto`, too."""

    effort: Effort = "normal"
    risk_ppm: RiskPpm = RISK_PPM


def refuse_any(complaints: Sequence[Complaint]) -> None:
    """Raise TailcError with the complaints, if there are any: of a spec that an option made unfit.

    A spec as it is written was checked when it was read.
    """
    if complaints:
        raise TailcError([_finding(complaint) for complaint in complaints])


def _finding(complaint: Complaint) -> Finding:
    message = f"`{spelled(complaint.at)}` {complaint.message}"
    return Finding(complaint.code, message, help=complaint.help, about=complaint.at)


def weight_complaints(weights: Sequence[int], rates_mrps: Sequence[int]) -> Iterator[Complaint]:
    """Weights that are not one for each rate."""
    if weights and len(weights) != len(rates_mrps):
        message = f"are {len(weights)}, but `rates` has {len(rates_mrps)}"
        hint = "give one for each of `rates`, in their order"
        yield Complaint(Code.CONFLICT, message, hint, (*_AT, "weights"), ("rates",))


def rate_complaints(
    weights: Sequence[int], rates_mrps: Sequence[int], slos: int
) -> Iterator[Complaint]:
    """What does not go with the objective `rate`: it looks between two rates, for one SLO."""
    at, also = (*_AT, "weights"), OBJECTIVE_AT
    if weights:
        message = f"are for other objectives: `{RATE}` looks for one rate"
        yield Complaint(Code.CONFLICT, message, "remove them", at, also)
    if len(rates_mrps) == 1:
        message = f"is one, but the objective `{RATE}` looks between the lowest and the highest"
        hint = "give one at which the SLO is surely met, and one at which it surely is not"
        yield Complaint(Code.CONFLICT, message, hint, ("rates",), also)
    if slos > 1:
        message = f"holds {slos} objectives, but the highest rate is looked for with one"
        hint = "leave the one that the rate is for"
        yield Complaint(Code.CONFLICT, message, hint, ("slo",), also)


def rule_complaints(optional_rules: Sequence[str]) -> Iterator[Complaint]:
    """Optional rules that are named twice, or of which one needs another."""
    at = (*_AT, "optional_rules")
    if len(set(optional_rules)) < len(optional_rules):
        yield Complaint(Code.CONFLICT, "names one twice", "name each once", at)
    if "give-up" in optional_rules and "start-below" not in optional_rules:
        # Late requests would hold the places of others and leave cores idle; once there are
        # enough of them, all that come are late too.
        message = "holds `give-up` without `start-below`: late requests would keep others out"
        yield Complaint(Code.CONFLICT, message, "add `start-below`", at)


def range_of(rates_mrps: Sequence[int]) -> tuple[int, int]:
    """The ends of the range that the objective `rate` looks in."""
    return min(rates_mrps), max(rates_mrps)


def formula_complaints(search: TunedSearch, *own: str) -> Iterator[Complaint]:
    """Parts of the search that a formula alone does not have; `own` is the kind's."""
    return _complaints_of(search, (*_OF_BOTH, *_OF_SIMULATION, *own), SIMULATION)


def not_of_auto(search: TunedSearch) -> Iterator[Complaint]:
    """Parts of the search that only simulation by a stated budget has."""
    return _complaints_of(search, _OF_SIMULATION, SIMULATION)


def not_of_others(search: TunedSearch) -> Iterator[Complaint]:
    """Parts of the search that only the method `auto` has."""
    return _complaints_of(search, _OF_AUTO, AUTO)


def refuse_options_of_auto(overrides: Iterable[str], method: str) -> None:
    """Raise TailcError (USAGE) for options that only the method `auto` has, if that is not it."""
    given = {name.removesuffix("_ppm") for name in overrides}
    wrong = [name for name in _OF_AUTO if name in given and method != AUTO]
    if wrong:
        hint = f"give `--method {AUTO}`, or leave it out"
        messages = (f"`--{name}` is for the method `{AUTO}`, not `{method}`" for name in wrong)
        raise TailcError([Finding(Code.USAGE, message, help=hint) for message in messages])


def _complaints_of(search: TunedSearch, names: Sequence[str], method: str) -> Iterator[Complaint]:
    for name in (name for name in names if is_given(search, name)):
        message, hint = f"is for the method `{method}`", f"remove it, or set `method: {method}`"
        yield Complaint(Code.CONFLICT, message, hint, (*_AT, name), METHOD_AT)


def objective_complaints(
    objective: str, method: str | None, choices: Sequence[str], of_auto: Sequence[str] = ("tail",)
) -> Iterator[Complaint]:
    """An objective that is none of those that the method has; `of_auto`: those of `auto`."""
    if method == AUTO and objective not in of_auto:
        known = " or ".join(f"`{each}`" for each in of_auto)
        message = f"is `{objective}`, but the method `{AUTO}` is for the objective {known}"
        hint = f"set `objective: {of_auto[0]}`, or leave `method` out"
        yield Complaint(Code.CONFLICT, message, hint, OBJECTIVE_AT, METHOD_AT)
    elif objective not in choices:
        but = "not " * (method == SIMULATION)
        message = f"is `{objective}`, which is {but}for the method `{SIMULATION}`"
        hint = did_you_mean("", choices)
        yield Complaint(Code.CONFLICT, message, hint, OBJECTIVE_AT, METHOD_AT)


def with_formula_kept(overrides: Mapping[str, object], method: str | None) -> dict[str, object]:
    """Overrides of a search whose simulation begins with the table of the method that it had."""
    given, simulating = dict(overrides), (AUTO, SIMULATION)
    if given.get("method") in simulating and method not in (None, *simulating):
        given.setdefault("formula_method", method)
    return given
