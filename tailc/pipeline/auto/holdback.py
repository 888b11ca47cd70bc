"""Hold out a fifth of the design requests from all searches, for comparisons."""

from __future__ import annotations

from dataclasses import dataclass

from tailc.traces.profile import DemandProfile

_PART = 5
# A fifth of fewer rows is too small a sample for a tail.
FEWEST_ROWS = 1_000


@dataclass(frozen=True, eq=False)
class Holdback:
    """The requests that searches use, and those held out to compare tables (`judging`).

    Both are the same requests if there are few. keeps_some: whether requests are held out as soon
    as there are enough.
    """

    searched: DemandProfile
    judging: DemandProfile
    keeps_some: bool

    @property
    def is_held_out(self) -> bool:
        """Whether the requests of the comparison are held out from searches."""
        return self.judging is not self.searched

    def more_rows(self, more_judging: int) -> int:
        """How many more requests a trace needs so that the comparison has `more_judging` more."""
        judging = self.judging.total_weight
        if self.is_held_out:
            return _PART * more_judging
        if not self.keeps_some or judging + more_judging < FEWEST_ROWS:
            return more_judging
        return _PART * (judging + more_judging) - judging


def in_sample(design: DemandProfile) -> Holdback:
    """Use all requests both for the search and for the comparison."""
    return Holdback(design, design, keeps_some=False)


def holdback(design: DemandProfile) -> Holdback:
    """Hold out one request, chosen at random, of every five that are neighbours in size."""
    if design.total_weight < FEWEST_ROWS:
        return Holdback(design, design, keeps_some=True)
    from tailc.tuning.sample_split import one_of_each_group

    judges = one_of_each_group(_PART, design.demand_ms, design.weight)
    rest = design.reweight(design.weight - judges)
    return Holdback(rest, design.reweight(judges), keeps_some=True)
