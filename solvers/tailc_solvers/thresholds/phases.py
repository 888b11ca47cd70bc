"""Optimal thresholds of requests that consist of two phases with different speeds.

Problem: phase k = 1, 2 has its own sample of demands, speeds s_ki, and thresholds W_ki in the work
of the phase. A request begins each phase on the first type of that phase.

    minimise    E_1(W_1) + E_2(W_2)            mean energy of both phases
    subject to  T_1(W_1) + T_2(W_2) <= target  times of the demands w_1 and w_2 of the given ranks
    variables   W_1, W_2

The target is the only constraint on both phases. If the first phase gets the part t of the target,
both phases are solved exactly (tailc_solvers.thresholds.dual), and neither energy increases with
the time of its phase. So on a cell of splits t in [a, b]

    E_1(b) + E_2(target - a)  <=  E_1(t) + E_2(target - t),

and cells are halved, the one with the least bound first, until this bound is close to the best
split found.

The constraint adds w_1 and w_2, as if the longest requests were long in both phases. Whatever the
dependence of the phases, at most (1 - beta_1) + (1 - beta_2) of the requests take longer than the
target, with beta_k the percentile of the rank of phase k.
"""

from __future__ import annotations

import functools
import heapq
import math
from collections.abc import Callable
from dataclasses import dataclass

from numpy.typing import ArrayLike

from tailc_solvers.sample import WeightedSample
from tailc_solvers.status import Status
from tailc_solvers.thresholds.dual import ContinuousThresholds, checked_types, solve_thresholds

MOST_SPLITS = 20_000


@dataclass(frozen=True, eq=False)
class Phase:
    """One phase of all requests: its demands, and the speed and power of each core type in it.

    The arguments are those of `solve_thresholds`; the sample's own speeds are not used.
    """

    sample: WeightedSample
    speed: ArrayLike
    power: ArrayLike
    rank: int


@dataclass(frozen=True, eq=False)
class PhasesSolution:
    """The best split of the target, and the thresholds of both phases under it.

    Attributes:
        status: OPTIMAL, INFEASIBLE, or BUDGET if the bound is further off than requested.
        phases: thresholds of each; those of the least tails if infeasible.
        energy: mean energy of a request; inf if infeasible.
        bound: proved lower bound on it, over all splits; inf if infeasible.
        splits: number of splits of the target that were solved.
    """

    status: Status
    phases: tuple[ContinuousThresholds, ContinuousThresholds]
    energy: float
    bound: float
    splits: int


Solved = tuple[ContinuousThresholds, ContinuousThresholds]


def solve_phases(
    first: Phase, second: Phase, *, target_ms: float, tolerance: float = 1e-3
) -> PhasesSolution:
    """Find the thresholds of least mean energy whose phases together meet `target_ms`.

    `tolerance` is relative: how far above its bound the energy may be.
    """
    least, most = zip(_limits(first), _limits(second), strict=True)
    low, high = least[0], target_ms - least[1]
    if high < low:
        nearest = _solve(first, least[0]), _solve(second, least[1])
        return PhasesSolution(Status.INFEASIBLE, nearest, math.inf, math.inf, 0)

    @functools.cache
    def solved_at(part_ms: float) -> Solved:
        return (
            _solve(first, min(part_ms, most[0])),
            _solve(second, min(target_ms - part_ms, most[1])),
        )

    return _search_splits(solved_at, low, max(min(high, most[0]), low), tolerance)


def _limits(phase: Phase) -> tuple[float, float]:
    """The time of the rank's demand on the fastest type, and on the slowest."""
    speeds, _ = checked_types(phase.speed, phase.power)
    # The time on the fastest type does not depend on the target.
    fastest_ms = _solve(phase, 1.0).nearest_tail_ms
    return fastest_ms, fastest_ms * float(speeds[-1] / speeds[0])


def _solve(phase: Phase, target_ms: float) -> ContinuousThresholds:
    return solve_thresholds(
        phase.sample, phase.speed, phase.power, rank=phase.rank, target_ms=target_ms
    )


def _search_splits(
    solved_at: Callable[[float], Solved], low: float, high: float, tolerance: float
) -> PhasesSolution:
    """Search cells of splits, halved in order of their bounds."""
    best = min((solved_at(low), solved_at(high)), key=_energy)
    cells = [(_lower_bound(solved_at, low, high), low, high)]
    splits = 2
    while True:
        bound, begin, end = cells[0]
        if bound >= _energy(best) * (1 - tolerance) or splits >= MOST_SPLITS:
            break
        heapq.heappop(cells)
        middle = (begin + end) / 2
        best = min(best, solved_at(middle), key=_energy)
        splits += 1
        for cell in ((begin, middle), (middle, end)):
            heapq.heappush(cells, (_lower_bound(solved_at, *cell), *cell))
    energy = _energy(best)
    status = Status.OPTIMAL if bound >= energy * (1 - tolerance) else Status.BUDGET
    return PhasesSolution(status, best, energy, min(bound, energy), splits)


def _energy(solved: Solved) -> float:
    return solved[0].energy + solved[1].energy


def _lower_bound(solved_at: Callable[[float], Solved], begin: float, end: float) -> float:
    return solved_at(end)[0].bound + solved_at(begin)[1].bound
