"""Spec of the search for an elfen policy's ages: by a formula, or by simulation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pydantic import Field

from tailc.errors import Code
from tailc.experiment.objective_checks import tuned_complaints
from tailc.policies.elfen.choices import Method
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


class ElfenSearch(TunedSearch):
    """The search for an elfen policy's ages."""

    method: Method | None = Field(
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
        """Report faulty weights and arrivals, and keys that the method does not use."""
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
        """Report arrivals that only a search uses, if the effort `quick` skips the search."""
        for name in NOT_POISSON:
            if self.effort == "quick" and is_given(self, name):
                message = "applies to a search, which `effort: quick` does not make"
                at, also = ("search", name), ("search", "effort")
                yield Complaint(
                    Code.CONFLICT, message, "raise `effort`, or remove this key", at, also
                )
