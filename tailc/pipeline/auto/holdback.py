"""The fifth of a design sample that no search sees."""

from __future__ import annotations

from dataclasses import dataclass

from tailc.pipeline.queue.parts import one_in
from tailc.traces.profile import DemandProfile

_PART = 5
# Of fewer rows a fifth tells nothing of a tail.
FEWEST_ROWS = 1_000


@dataclass(frozen=True, eq=False)
class Holdback:
    """Requests to search on, and those that judge: the same ones where there are too few."""

    searched: DemandProfile
    judging: DemandProfile

    @property
    def is_kept_back(self) -> bool:
        """Whether no search saw those that judge."""
        return self.judging is not self.searched

    @property
    def rows_each(self) -> int:
        """How many rows of a trace it takes for one that judges."""
        return _PART if self.is_kept_back else 1


def in_sample(design: DemandProfile) -> Holdback:
    """All requests for both."""
    return Holdback(design, design)


def holdback(design: DemandProfile) -> Holdback:
    """Of every five requests that are neighbours in size one, at random, judges."""
    if design.total_weight < FEWEST_ROWS:
        return in_sample(design)
    judges = one_in(_PART, design.demand_ms, design.weight)
    return Holdback(design.reweighted(design.weight - judges), design.reweighted(judges))
