"""What specs of several kinds say of a table that is tuned with queues."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from pydantic import Field

from tailc.errors import Code
from tailc.specs.fields import Complaint, Whole
from tailc.units import LARGEST

# Fewer requests tell nothing of a tail.
FEWEST_TUNED, TUNED = 1_000_000, 300_000_000
TunedRequests = Annotated[Whole, Field(ge=FEWEST_TUNED, le=LARGEST)]
Weight = Annotated[Whole, Field(ge=1, le=LARGEST)]
QUEUE = "queue"
_AT = ("search",)


def weight_complaints(weights: Sequence[int], rates_mrps: Sequence[int]) -> Iterator[Complaint]:
    """Weights that are not one for each rate."""
    if weights and len(weights) != len(rates_mrps):
        message = f"are {len(weights)}, but `rates` has {len(rates_mrps)}"
        hint = "give one for each of `rates`, in their order"
        yield Complaint(Code.CONFLICT, message, hint, (*_AT, "weights"), ("rates",))


def others_complaints(
    given: Sequence[str], objective_at: tuple[str | int, ...]
) -> Iterator[Complaint]:
    """Parts of the search that are given though the objective is another."""
    for name in given:
        message, hint = f"is for the objective `{QUEUE}`", f"remove it, or set `objective: {QUEUE}`"
        yield Complaint(Code.CONFLICT, message, hint, (*_AT, name), objective_at)
