"""Optimal slow-to-fast thresholds if all requests have the same speeds, with a proved bound.

Problem, with F the step distribution of the demands in work, w the demand of the given rank, types
i = 1..N with speeds s_i and energy per unit of work p_i / s_i both ascending, and W_0 = 0, W_N =
infinity: a request climbs from type i to i + 1 when it has done the work W_i.

    minimise    sum_i (p_i / s_i) (G(W_i) - G(W_(i-1))),       G(x) = integral_0^x (1 - F)
    subject to  sum_i (min(w, W_i) - min(w, W_(i-1))) / s_i <= target
    variables   0 <= W_1 <= .. <= W_(N-1), in work; infinity for a type that is never reached

Work bounds the cases, not wall time: a request whose work is at most W_1 + s_2 v_2 ends on type 2,
whether or not its demand exceeds v_1 + v_2. The paper has case bounds in wall time next to work
divided by speed, and the two contradict each other.

Method. The type k on which the demand of the rank ends also does all longer work, a fixed charge;
so one case for each k. Within a case the problem is separable over slivers of work and linear in
how much of each is done on which type: the dual with one multiplier on time decides
(tailc_solvers.ladder.kernels, with the wait's constraint left out). Types above the lower convex
hull of (time per work, energy per work) are left as soon as they are reached. The least dual value
over the cases is a lower bound on the problem. Without the sort and the sums, the time is O(N^2 log
R) for each multiplier.

Source: Haque et al., MICRO 2017, section 4.2, eq. 1-4; the case bounds as said above.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tailc_solvers.ladder.kernels import DemandSteps, DualAnswer, Hull
from tailc_solvers.ladder.rows import (
    hull_of,
    least_costs,
    rung_ends,
    sorted_steps,
    sorted_weights,
)
from tailc_solvers.sample import WeightedSample
from tailc_solvers.status import Status

ROUNDING = 1e-12
"""Relative: a target that a single type misses by less is met by it. Rounding does as much, and
would send all that is longer than the rank's demand to a faster type."""

_NO_WAIT = np.zeros(1)
"""The load of the ladder's problem: with none, its constraint on the wait never binds."""


@dataclass(frozen=True)
class ContinuousThresholds:
    """The optimal climb thresholds; those of the least tail if no thresholds meet the target.

    Attributes:
        status: OPTIMAL or INFEASIBLE.
        work_ms: W_i, the work at which type i is left; inf: no request leaves it [N - 1].
        age_ms: the age at which that work is done; equal to the age before if a type is skipped [N
            - 1].
        energy: mean energy of a request, in units of `power` times ms; inf if infeasible.
        bound: proved lower bound on it; inf if infeasible.
        gap: energy less bound, at least zero; inf if infeasible.
        tail_ms: latency of the request of the rank.
        nearest_tail_ms: the least attainable tail, all work on the fastest type.
        last: the last used type, counted from 0.
    """

    status: Status
    work_ms: NDArray[np.float64]
    age_ms: NDArray[np.float64]
    energy: float
    bound: float
    gap: float
    tail_ms: float
    nearest_tail_ms: float
    last: int


def solve_thresholds(
    sample: WeightedSample, speed: ArrayLike, power: ArrayLike, *, rank: int, target_ms: float
) -> ContinuousThresholds:
    """Solve for the thresholds of least mean energy whose tail is at most `target_ms`.

    A climb that no request of the sample reaches is given as never.

    Args:
        sample: demands and weights. Its own speeds are not used: all requests follow `speed`.
        speed: work per ms of each type, ascending [N].
        power: power of each type, in any unit; `power / speed` must ascend [N].
        rank: 1-based rank of the request whose latency is the tail, weights counted.
        target_ms: largest tail, positive.
    """
    speeds, powers = checked_types(speed, power)
    sample.check_rank(rank)
    if not (math.isfinite(target_ms) and target_ms > 0):
        raise ValueError("target_ms must be positive and finite")
    steps = sorted_steps(*sorted_weights(sample), rank)
    hull = hull_of(speeds, powers)
    alone = steps.work[steps.rank] * hull.time
    is_met = (alone > target_ms) & (alone <= target_ms * (1 + ROUNDING))
    answer = least_costs(steps, hull, _NO_WAIT, max([target_ms, *alone[is_met].tolist()]))
    if math.isinf(answer.primal[0]):
        return _fastest(speeds.size, float(alone[-1]))
    return _solution(steps, hull, answer, float(alone[-1]))


def checked_types(
    speed: ArrayLike, power: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Speeds and powers of core types as vectors; ValueError unless they ascend.

    Speeds, and power per speed, must ascend: otherwise a type is dominated by the next.
    """
    speeds = np.array(speed, dtype=np.float64)
    powers = np.array(power, dtype=np.float64)
    if speeds.ndim != 1 or speeds.size == 0 or speeds.shape != powers.shape:
        raise ValueError("speed and power must be vectors of one length")
    for name, values in (("speed", speeds), ("power", powers)):
        if not (np.isfinite(values).all() and (values > 0).all()):
            raise ValueError(f"{name} must be positive and finite")
    for name, values in (("speed", speeds), ("power / speed", powers / speeds)):
        if (np.diff(values) <= 0).any():
            raise ValueError(f"{name} must ascend with the type")
    return speeds, powers


def ages_of(work_ms: NDArray[np.float64], speed: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ages at which a request has done the work of each threshold [ms; N - 1].

    inf for a threshold that is infinite.
    """
    begins = np.concatenate([[0.0], work_ms])[:-1]
    is_reached = np.isfinite(work_ms)
    stretch = np.where(is_reached, work_ms, 0.0) - np.where(is_reached, begins, 0.0)
    return np.where(is_reached, np.cumsum(stretch / speed[:-1]), np.inf)


def _solution(
    steps: DemandSteps, hull: Hull, answer: DualAnswer, nearest: float
) -> ContinuousThresholds:
    work = rung_ends(steps, hull, answer)[0, :-1]
    work[work >= steps.work[-1]] = np.inf
    energy, bound = float(answer.primal[0]), float(answer.bound[0])
    bound = min(bound, energy)
    return ContinuousThresholds(
        status=Status.OPTIMAL,
        work_ms=work,
        age_ms=ages_of(work, 1.0 / hull.time),
        energy=energy,
        bound=bound,
        gap=energy - bound,
        tail_ms=float(answer.value[0, 1]),
        nearest_tail_ms=nearest,
        last=int(np.isfinite(work).sum()),
    )


def _fastest(n: int, nearest: float) -> ContinuousThresholds:
    return ContinuousThresholds(
        status=Status.INFEASIBLE,
        work_ms=np.zeros(n - 1),
        age_ms=np.zeros(n - 1),
        energy=math.inf,
        bound=math.inf,
        gap=math.inf,
        tail_ms=nearest,
        nearest_tail_ms=nearest,
        last=n - 1,
    )
