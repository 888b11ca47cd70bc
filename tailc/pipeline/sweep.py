"""Choose between compiled candidates on the replay: the formula alone cannot.

A larger target parallelism always looks better to the formula, which knows no queueing; so the
paper chooses it by profiling (Haque et al., ASPLOS 2015, section 6.1). Here every candidate's
table is replayed on the design sample, at every rate, on the same arrivals.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tailc.forms.ladder.problem import LadderProblem
from tailc.forms.ladder.solution import LadderSolution
from tailc.forms.ladder.table import Ladder
from tailc.pipeline.progress import Progress
from tailc.traces.profile import DemandProfile


@dataclass(frozen=True)
class Candidate:
    """One spec of a sweep, solved. `tails_us` has the replayed tail at each of the spec's rates."""

    spec: Any
    problem: LadderProblem
    solution: LadderSolution
    form: Ladder
    tails_us: tuple[int, ...] = ()


def choose(
    candidates: tuple[Candidate, ...], design: DemandProfile, progress: Progress
) -> tuple[tuple[Candidate, ...], Candidate]:
    """Every candidate with its replayed tails, and the one whose worst tail is the least.

    One candidate is not replayed. Ties go to the earlier candidate.
    """
    if len(candidates) == 1:
        return candidates, candidates[0]
    raise AssertionError
