"""The course of a search, as a solver has it, in the unit in which it is told."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tailc_solvers.course import Reached

from tailc.problems.convergence import Milestone


def milestones(
    course: Sequence[Reached], *, added: float = 0.0, times: float = 1.0, bound: float | None = None
) -> tuple[Milestone, ...]:
    """With `added` to what is minimised, then `times` it; `bound`, in the solver's unit, holds from
    the beginning where there is one. What is infinite is not there yet.
    """

    def told(value: float) -> float | None:
        return (value + added) * times if math.isfinite(value) else None

    proved = -math.inf if bound is None else bound
    return tuple(
        Milestone(one.effort, told(max(one.bound, proved)), told(one.found)) for one in course
    )
