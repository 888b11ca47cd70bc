"""Solution of a ladder problem: one schedule per load, with its proof and predictions."""

from __future__ import annotations

import enum
import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from tailc.forms.ladder.row_evidence import RowEvidence
from tailc.forms.ladder.table import Climb
from tailc.problems.convergence import ConvergencePoint


class RowStatus(enum.Enum):
    """Result of the search for one load; the value is a sentence for people."""

    OPTIMAL = "the best schedule is known"
    INFEASIBLE = "no schedule meets the limits at this load"
    BUDGET = "the budget ended before the best schedule was known"


@dataclass(frozen=True)
class Schedule:
    """The schedule of a request: a wait, then a time on each rung before the next climb.

    A request waits `wait_us`, then stays `stay_us[i]` on rung i, and on the last rung until it
    ends. There is one stay fewer than rungs. A stay of 0 skips the rung; None means never to climb
    further, and every later stay is 0 by convention. This is the papers' S = {v_0, v_1, ...,
    v_(n-1)} (Haque et al., ASPLOS 2015, section 4.1).
    """

    wait_us: int
    stay_us: tuple[int | None, ...]

    def __post_init__(self) -> None:
        if self.wait_us < 0 or any(stay is not None and stay < 0 for stay in self.stay_us):
            raise ValueError("`wait_us` and `stay_us` must not be negative")
        if None in self.stay_us:
            after = self.stay_us[self.stay_us.index(None) + 1 :]
            if any(stay != 0 for stay in after):
                raise ValueError("stays after a rung without an end must be 0")

    @classmethod
    def from_climbs(cls, wait_us: int, climbs: Sequence[Climb], rungs: int) -> Schedule:
        """The schedule with these climbs, whose ages count from the start of execution.

        rungs: number of rungs of the ladder. If the upper ones are never reached, the stay on the
        last reached rung never ends.
        """
        stays: list[int | None] = [0] * (rungs - 1)
        for here, above in itertools.pairwise(climbs):
            stays[here.rung] = above.age_us - here.age_us
        if climbs[-1].rung < rungs - 1:
            stays[climbs[-1].rung] = None
        return cls(wait_us, tuple(stays))

    def climbs(self) -> tuple[Climb, ...]:
        """The schedule of a request as climbs, without the rungs that it skips.

        The age of a climb counts from the start of execution.
        """
        pairs: list[Climb] = []
        age_us = 0
        for rung, stay_us in enumerate((*self.stay_us, None)):
            if stay_us == 0:
                continue
            pairs.append(Climb(age_us, rung))
            if stay_us is None:
                break
            age_us += stay_us
        return tuple(pairs)


@dataclass(frozen=True)
class SolvedRow:
    """The best schedule of a request at one load, with its evidence.

    schedule, evidence: both None if there is no schedule. nearest_tail_us: the least attainable
    tail if a target cannot be met.
    """

    load: int
    status: RowStatus
    schedule: Schedule | None = None
    evidence: RowEvidence | None = None
    nearest_tail_us: int | None = None


@dataclass(frozen=True)
class LadderSolution:
    """The schedule of every load, with the proof and the effort of the search.

    longest_wait_us: the longest wait that was searched; None: no limit. course: convergence by
    evaluations, averaged over the loads that have a schedule [us]; empty if it was not recorded.
    """

    rows: tuple[SolvedRow, ...]
    proof: str
    solver: str
    evaluations: int
    longest_wait_us: int | None
    course: tuple[ConvergencePoint, ...] = ()
