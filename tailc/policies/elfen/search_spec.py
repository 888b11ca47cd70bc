"""How the ages of an elfen policy are found: as its policy says, or on the replay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from pydantic import Field

from tailc.errors import Code
from tailc.experiment.objective_checks import tuned_complaints
from tailc.specs.arrivals import NOT_POISSON, is_given
from tailc.specs.common import DemandSpec
from tailc.specs.fields import Complaint
from tailc.specs.simulation_fields import (
    AUTO,
    PAPER,
    Effort,
    TunedSearch,
    formula_complaints,
    not_of_auto,
    not_of_others,
)


class SearchSpec(TunedSearch):
    """How the ages are found."""

    method: Literal["auto", "paper", "simulation"] | None = Field(
        default=None,
        description="`paper`: ages of the policy (default with `policy`). `simulation`: most "
        "batch work that meets the first SLO with queues; ages by the number in the "
        "system are tuned on the replay at `rates`. `auto`: the same within the "
        "budget of `effort` (default without `policy`).",
    )
    effort: Effort = "normal"

    def complaints(
        self, method: str, rates_mrps: Sequence[int], demand: DemandSpec
    ) -> Iterator[Complaint]:
        """Weights and arrivals that do not fit, and what only some methods have."""
        if method != AUTO:
            yield from not_of_others(self)
        if method == PAPER:
            yield from formula_complaints(self)
            return
        if method == AUTO:
            yield from not_of_auto(self)
            yield from self.quick_complaints()
        yield from tuned_complaints(self, rates_mrps, demand)

    def quick_complaints(self) -> Iterator[Complaint]:
        """Arrivals that only a search is for, which the least effort leaves out."""
        for name in NOT_POISSON:
            if self.effort == "quick" and is_given(self, name):
                message = "is for a search, which `effort: quick` leaves out"
                at, also = ("search", name), ("search", "effort")
                yield Complaint(Code.CONFLICT, message, "raise the effort, or remove it", at, also)
