"""What specs of several kinds say of a table that is tuned with queues."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from pydantic import Field

from tailc.errors import Code, Finding, TailcError
from tailc.specs.arrivals import (
    NOT_POISSON,
    Bursts,
    DayPpm,
    Recording,
    is_given,
)
from tailc.specs.fields import Complaint, SpecModel, Whole
from tailc.specs.load import spelled
from tailc.units import LARGEST

# Fewer requests tell nothing of a tail.
FEWEST_TUNED, TUNED = 1_000_000, 300_000_000
TunedRequests = Annotated[
    Whole,
    Field(
        ge=FEWEST_TUNED,
        le=LARGEST,
        description="Budget of the objective `queue`: requests that its search simulates.",
    ),
]
Weights = Annotated[
    tuple[Annotated[Whole, Field(ge=1, le=LARGEST)], ...],
    Field(
        description="Of the objective `queue`: how much each of `rates` counts; all alike, if "
        "absent.",
        examples=[[1, 3]],
    ),
]
Freedoms = Annotated[
    tuple[Literal["start-below", "give-up", "may-descend"], ...],
    Field(
        description="Of the objective `queue`: what the server can do besides, and the table may "
        "use: start requests by what is in use, let late ones fall to the first rung, let any fall "
        "where the row has a lower one.",
        examples=[["start-below", "give-up"]],
    ),
]
QUEUE, RATE = "queue", "rate"
_AT = ("search",)
_GOAL = (*_AT, "goal")
_OF_QUEUE = ("goal", "requests", "weights", "freedoms", *NOT_POISSON)


class TunedSearch(SpecModel):
    """How a table is tuned with queues; each kind adds its own goals, and what else it searches."""

    requests: TunedRequests = TUNED
    weights: Weights = ()
    bursts: Bursts = None
    diurnal_ppm: DayPpm = None
    recorded: Recording = None


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


def goal_complaints(
    weights: Sequence[int], rates_mrps: Sequence[int], slos: int
) -> Iterator[Complaint]:
    """What does not go with the goal `rate`: it looks between two rates at least, for one SLO."""
    if weights:
        message = f"are for other goals: `{RATE}` looks for one rate"
        yield Complaint(Code.CONFLICT, message, "remove them", (*_AT, "weights"), _GOAL)
    if len(rates_mrps) == 1:
        message = f"is one, but the goal `{RATE}` looks between the lowest and the highest"
        hint = "give one at which the SLO is surely met, and one at which it surely is not"
        yield Complaint(Code.CONFLICT, message, hint, ("rates",), _GOAL)
    if slos > 1:
        message = f"holds {slos} objectives, but the goal `{RATE}` is for one"
        hint = "leave the one that the rate is for"
        yield Complaint(Code.CONFLICT, message, hint, ("slo",), _GOAL)


def freedom_complaints(freedoms: Sequence[str]) -> Iterator[Complaint]:
    """Freedoms that are named twice, or of which one needs another."""
    at = (*_AT, "freedoms")
    if len(set(freedoms)) < len(freedoms):
        yield Complaint(Code.CONFLICT, "names one twice", "name each once", at)
    if "give-up" in freedoms and "start-below" not in freedoms:
        # Late requests would hold the places of others and leave cores idle; once there are
        # enough of them, all that come are late too.
        message = "holds `give-up` without `start-below`: late requests would keep others out"
        yield Complaint(Code.CONFLICT, message, "add `start-below`", at)


def range_of(rates_mrps: Sequence[int]) -> tuple[int, int]:
    """The ends of the range that the goal `rate` looks in."""
    return min(rates_mrps), max(rates_mrps)


def others_complaints(
    search: TunedSearch, objective_at: tuple[str | int, ...], *own: str
) -> Iterator[Complaint]:
    """Parts of the search that are given though the objective is another; `own` is the kind's."""
    for name in (name for name in (*_OF_QUEUE, *own) if is_given(search, name)):
        message, hint = f"is for the objective `{QUEUE}`", f"remove it, or set `objective: {QUEUE}`"
        yield Complaint(Code.CONFLICT, message, hint, (*_AT, name), objective_at)
