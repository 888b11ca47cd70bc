"""The gains that minimise a criterion within limits, by a search on a lattice.

    minimise    (1/2 w ln ITAE of the set point's step + (1 - w) ln IAE of a load's step)
    subject to  Ms <= its limit, overshoot <= its limit, and, where given, ITAE and IAE <= limits

over the controllers k C0 with C0 = 1 + 1 / (ti sigma) + td sigma. ITAE grows with the square of
time; with the factor 1/2, one per cent of time has the same weight in both terms, in any units of
the plant.

Method. For a shape (ti, td), the k that meet the limit of Ms are found in closed form (kernels.py),
so that k = share * largest, 0 < share <= 1, and only the shape and the share are searched: the
first on a coarse lattice in their logarithms, then from the best point by steps along axes and
diagonals, which follow the edges of limits, that are halved when none of them improves. Points are
on a lattice, so the answer does not depend on the last bits of compared values, except for ties.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tailc_solvers.control import kernels
from tailc_solvers.control.kernels import IntegralLimits, SimulationRecord
from tailc_solvers.control.loop import LoopEquations
from tailc_solvers.loops import inner_loops, plain_loops

FINEST = 1 / 64
"""Least step, in doublings: to about one per cent, which costs the criterion next to nothing."""

SHORTEST_TI, LONGEST_TI = -9.0, 5.0
"""Doublings of ti from the unit: below, a controller does nothing but integrate; above, the end of
a response is too slow for a simulation."""

_FIRST_STEP = 0.5
_AT_REST = 2e-4
_PENALTY = 50.0
"""Of the criterion, a logarithm, for each unit by which a limit is exceeded: far above what any
gain in the criterion is worth."""


class LoopProblem(NamedTuple):
    """Data of a tuning problem: a control loop with a plant of positive gain, and limits for it.

    Attributes:
        loop: difference equations of the loop.
        sigma, plant: frequency responses of the differentiator and of the plant on a grid.
        late: frequency response of the plant with the longest delay to tolerate; empty if there is
            none.
        floor, late_floor: 1 / Ms, the least allowed distance of the open loop to -1, for `plant`
            and for `late`.
        is_double: whether the plant integrates, so that the open loop integrates twice.
        time: unit of the integral time ti.
        held: controller output that holds the set point.
        weight: w of the criterion.
        limits: largest overshoot, ITAE and IAE [3].
    """

    loop: LoopEquations
    sigma: NDArray[np.complex128]
    plant: NDArray[np.complex128]
    late: NDArray[np.complex128]
    floor: float
    late_floor: float
    is_double: bool
    time: float
    held: float
    weight: float
    limits: NDArray[np.float64]


class Scratch(NamedTuple):
    """Working memory of a search for controller gains.

    record: buffers of one simulation. best, trial: the best point and the point under test [3].
    answer: the search writes the criterion, kp, ki and kd of the best point here [4].
    """

    record: SimulationRecord
    best: NDArray[np.float64]
    trial: NDArray[np.float64]
    answer: NDArray[np.float64]


def new_scratch(loop: LoopEquations, steps: int) -> Scratch:
    """Allocate working memory for a search whose simulations take at most `steps` steps."""
    return Scratch(kernels.new_record(loop, steps), np.zeros(3), np.zeros(3), np.full(4, np.inf))


@plain_loops
def gains_at(problem, point):
    """The gains (kp, ki, kd) at a point of the search for controller gains.

    The point is (log2 of ti / time, log2 of td / ti, log2 of k / largest k), where ti and td are
    the integral and derivative time, and the largest k meets the limit of Ms. A td / ti below 2^-30
    counts as 0. The gains are infinite if no k meets the limit of Ms with these times.
    """
    ti = problem.time * 2.0 ** point[0]
    td = ti * 2.0 ** point[1] if point[1] > -30.0 else 0.0
    shape = (ti, td, problem.loop.filter_ratio)
    low, least, k = kernels.factors_within(
        problem.sigma, problem.plant, shape, problem.floor, problem.is_double
    )
    if problem.late.shape[0] > 0:
        late = kernels.factors_within(
            problem.sigma, problem.late, shape, problem.late_floor, problem.is_double
        )
        low, least, k = min(low, late[0]), max(least, late[1]), min(k, late[2])
    k *= 2.0 ** point[2]
    if k <= 0.0 or low < k <= least:
        k = math.inf
    return k, k / ti, k * td


@inner_loops
def value_of(problem, kp, ki, kd, bound, record):
    """Value of the tuning criterion at these gains, plus penalties for exceeded limits.

    inf for infinite gains. To save time it may also be inf if the criterion is not below `bound`.
    The IAE after a load step is at least 1 / ki. From that follows the largest ITAE that can still
    beat `bound`, and from the ITAE the largest such IAE; simulations stop at these limits.
    """
    if not math.isfinite(kp):
        return math.inf
    weight = problem.weight
    least_iae = -(1.0 - weight) * math.log(ki)
    enough = math.inf
    if weight > 0.0 and bound < math.inf:
        enough = math.exp((bound - least_iae) / (0.5 * weight))
    law = kernels.law_of(problem.loop, kp, ki, kd)
    total = problem.held / ki
    most = IntegralLimits(total, math.inf, enough)
    made = kernels.respond(problem.loop, law, 1.0, 0.0, _AT_REST, most, record)
    if made < 0:
        return math.inf
    _, itae = kernels.integrals(problem.loop, record, made, total)
    over = max(0.0, kernels.overshoot_of(record, made) - problem.limits[0])
    over += _restlessness(record, made) + max(0.0, math.log(itae / problem.limits[1]))
    value = 0.5 * weight * math.log(itae) + _PENALTY * over
    if value + least_iae >= bound:
        return math.inf
    total = -1.0 / ki
    enough = math.inf
    if weight < 1.0 and bound < math.inf:
        enough = math.exp((bound - value) / (1.0 - weight))
    most = IntegralLimits(total, enough, math.inf)
    made = kernels.respond(problem.loop, law, 0.0, 1.0, _AT_REST, most, record)
    if made < 0:
        return math.inf
    iae, _ = kernels.integrals(problem.loop, record, made, total)
    over = _restlessness(record, made) + max(0.0, math.log(iae / problem.limits[2]))
    return value + (1.0 - weight) * math.log(iae) + _PENALTY * over


@inner_loops
def _restlessness(record, made):
    """0 for a response that came to rest before the simulation's end, else by how much it did not.

    So a loop that is unstable but slow does not look inactive.
    """
    if made < record.error.shape[0]:
        return 0.0
    peak, last = 0.0, 0.0
    for k in range(made):
        peak = max(peak, abs(record.error[k]))
        if 10 * k >= 9 * made:
            last = max(last, abs(record.error[k]))
    return max(0.0, math.log(last / (_AT_REST * peak)))


@inner_loops
def _try(problem, scratch):
    """Keep the trial point if it is better than the best one; return whether it is."""
    kp, ki, kd = gains_at(problem, scratch.trial)
    value = value_of(problem, kp, ki, kd, scratch.answer[0], scratch.record)
    if not value < scratch.answer[0]:
        return False
    for i in range(3):
        scratch.best[i] = scratch.trial[i]
    scratch.answer[0], scratch.answer[1] = value, kp
    scratch.answer[2], scratch.answer[3] = ki, kd
    return True


@plain_loops
def search(problem, starts, directions, finest, scratch):
    """Find the best controller gains by a pattern search, and write them to `scratch`.

    starts: points to begin from; the best of them is used [points, 3]. directions: of the steps
    [directions, 3]. finest: length of the last and smallest step [doublings of a parameter].
    """
    for s in range(starts.shape[0]):
        for i in range(3):
            scratch.trial[i] = starts[s, i]
        _try(problem, scratch)
    step = _FIRST_STEP
    while step >= finest:
        if not _step(problem, directions, step, scratch):
            step *= 0.5


@inner_loops
def _step(problem, directions, step, scratch):
    """Whether a step in any direction improved the best point; repeats a step that does."""
    is_better = False
    for d in range(directions.shape[0]):
        while _is_inside(directions[d], step, scratch) and _try(problem, scratch):
            is_better = True
    return is_better


@inner_loops
def _is_inside(direction, step, scratch):
    """Set the trial a step from the best point; return whether it is within the bounds."""
    for i in range(3):
        scratch.trial[i] = scratch.best[i] + step * direction[i]
    return scratch.trial[2] <= 0.0 and SHORTEST_TI <= scratch.trial[0] <= LONGEST_TI
