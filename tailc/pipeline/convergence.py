"""Convert a solver's convergence trace to the artifact's unit."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tailc_solvers.course import SearchProgress

from tailc.problems.convergence import ConvergencePoint


def convergence_points(
    course: Sequence[SearchProgress],
    *,
    added: float = 0.0,
    times: float = 1.0,
    bound: float | None = None,
) -> tuple[ConvergencePoint, ...]:
    """Convert a solver's convergence trace to the artifact's unit: (value + `added`) * `times`.

    course: incumbent and bound of the search over time. bound: a lower bound in the solver's unit
    that holds from the start. Infinite values become None.
    """

    def in_unit(value: float) -> float | None:
        return (value + added) * times if math.isfinite(value) else None

    proved = -math.inf if bound is None else bound
    return tuple(
        ConvergencePoint(one.effort, in_unit(max(one.bound, proved)), in_unit(one.found))
        for one in course
    )
