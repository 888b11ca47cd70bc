"""Spec keys of several kinds for tables that are tuned by simulation."""

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
from tailc.specs.load import path_text
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
    """Search settings of all kinds with the method `simulation`.

    Each kind adds its methods and objectives.
    """

    requests: TunedRequests = TUNED
    weights: Weights = ()
    bursts: Bursts = None
    diurnal_ppm: DayPpm = None
    recorded: Recording = None


class AutoSearch(TunedSearch):
    """Search settings of all kinds with the methods `simulation` and `auto`."""

    effort: Effort = "normal"
    risk_ppm: RiskPpm = RISK_PPM


def refuse_any(complaints: Sequence[Complaint]) -> None:
    """Raise TailcError with these complaints about a spec, if there are any.

    For specs that command-line options have changed; a spec as written is checked when it is read.
    """
    if complaints:
        raise TailcError([_finding(complaint) for complaint in complaints])


def _finding(complaint: Complaint) -> Finding:
    message = f"`{path_text(complaint.at)}` {complaint.message}"
    return Finding(complaint.code, message, help=complaint.help, about=complaint.at)


def weight_complaints(weights: Sequence[int], rates_mrps: Sequence[int]) -> Iterator[Complaint]:
    """Report weights of rates if their number differs from that of the rates."""
    if weights and len(weights) != len(rates_mrps):
        message = f"has {len(weights)} values, but `rates` has {len(rates_mrps)}"
        hint = "give one weight for each rate, in the same order"
        yield Complaint(Code.CONFLICT, message, hint, (*_AT, "weights"), ("rates",))


def rate_complaints(
    weights: Sequence[int], rates_mrps: Sequence[int], slos: int
) -> Iterator[Complaint]:
    """Report keys that cannot be combined with the objective `rate`."""
    at, also = (*_AT, "weights"), OBJECTIVE_AT
    if weights:
        message = f"cannot be combined with the objective `{RATE}`, which searches for a rate"
        yield Complaint(Code.CONFLICT, message, "remove the weights", at, also)
    if len(rates_mrps) == 1:
        message = (
            f"has one rate, but the objective `{RATE}` searches between the lowest and the highest"
        )
        hint = (
            "give a rate at which the SLO is certainly met, and one at which it is certainly missed"
        )
        yield Complaint(Code.CONFLICT, message, hint, ("rates",), also)
    if slos > 1:
        message = f"has {slos} objectives, but the objective `{RATE}` can use only one"
        hint = "keep one objective, and remove the others"
        yield Complaint(Code.CONFLICT, message, hint, ("slo",), also)


def rule_complaints(optional_rules: Sequence[str]) -> Iterator[Complaint]:
    """Report optional rules that are duplicates, or need another rule."""
    at = (*_AT, "optional_rules")
    if len(set(optional_rules)) < len(optional_rules):
        yield Complaint(Code.CONFLICT, "names a rule twice", "name each rule once", at)
    if "give-up" in optional_rules and "start-below" not in optional_rules:
        # Late requests would hold the places of others and leave cores idle; once there are
        # enough of them, all that come are late too.
        message = "has `give-up` without `start-below`, so late requests would block all others"
        yield Complaint(Code.CONFLICT, message, "add `start-below`", at)


def range_of(rates_mrps: Sequence[int]) -> tuple[int, int]:
    """Lowest and highest rate of the search for the objective `rate`."""
    return min(rates_mrps), max(rates_mrps)


def formula_complaints(search: TunedSearch, *own: str) -> Iterator[Complaint]:
    """Report search keys that a method without simulation does not use.

    own: further keys of the kind that such a method does not use.
    """
    return _complaints_of(search, (*_OF_BOTH, *_OF_SIMULATION, *own), SIMULATION)


def not_of_auto(search: TunedSearch) -> Iterator[Complaint]:
    """Report search keys that only the method `simulation` uses, in a spec with `auto`."""
    return _complaints_of(search, _OF_SIMULATION, SIMULATION)


def not_of_others(search: TunedSearch) -> Iterator[Complaint]:
    """Report search keys that only the method `auto` uses, in a spec with another method."""
    return _complaints_of(search, _OF_AUTO, AUTO)


def refuse_options_of_auto(overrides: Iterable[str], method: str) -> None:
    """Raise TailcError (USAGE) for options of the method `auto` if the method is another one."""
    given = {name.removesuffix("_ppm") for name in overrides}
    wrong = [name for name in _OF_AUTO if name in given and method != AUTO]
    if wrong:
        hint = f"give `--method {AUTO}`, or remove the option"
        messages = (
            f"`--{name}` applies only to the method `{AUTO}`, not to `{method}`" for name in wrong
        )
        raise TailcError([Finding(Code.USAGE, message, help=hint) for message in messages])


def _complaints_of(search: TunedSearch, names: Sequence[str], method: str) -> Iterator[Complaint]:
    for name in (name for name in names if is_given(search, name)):
        message, hint = (
            f"applies only to the method `{method}`",
            f"remove it, or set `method: {method}`",
        )
        yield Complaint(Code.CONFLICT, message, hint, (*_AT, name), METHOD_AT)


def objective_complaints(
    objective: str, method: str | None, choices: Sequence[str], of_auto: Sequence[str] = ("tail",)
) -> Iterator[Complaint]:
    """Report an objective that the method does not support; `of_auto`: objectives of `auto`."""
    if method == AUTO and objective not in of_auto:
        known = " or ".join(f"`{each}`" for each in of_auto)
        message = f"is `{objective}`, but the method `{AUTO}` supports only the objective {known}"
        hint = f"set `objective: {of_auto[0]}`, or remove `method`"
        yield Complaint(Code.CONFLICT, message, hint, OBJECTIVE_AT, METHOD_AT)
    elif objective not in choices:
        needs = "cannot be used with" if method == SIMULATION else "needs"
        message = f"is `{objective}`, which {needs} the method `{SIMULATION}`"
        hint = did_you_mean("", choices)
        yield Complaint(Code.CONFLICT, message, hint, OBJECTIVE_AT, METHOD_AT)


def with_formula_kept(overrides: Mapping[str, object], method: str | None) -> dict[str, object]:
    """Change overrides to `simulation` so that it starts from the table of the spec's method."""
    given, simulating = dict(overrides), (AUTO, SIMULATION)
    if given.get("method") in simulating and method not in (None, *simulating):
        given.setdefault("formula_method", method)
    return given
