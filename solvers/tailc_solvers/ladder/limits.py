"""The best ladder in continuous time under several limits, such as the capacity of each core type.

Problem, for each load q, with the symbols of dual.py, the use u_ki of supply k by rung i, and the
capacity B_k:

    by tail     minimise  v_0 + T        by cost     minimise  W
    subject to  q U_k <= B_k (v_0 + L)  for every k,    U_k = integral (1 - F) u_k,i(x) / s_i(x) dx
                (by cost)  v_0 + T <= target
    variables   v_0 >= 0, i(x), never falling with x; nor does the number of threads

Method. A price for each supply reduces this to a ladder with one cost, which dual.py solves
exactly:

- By tail, shares theta_k with sum 1 combine the limits into one that every feasible ladder meets, q
  sum(theta_k U_k / B_k) <= v_0 + L (a surrogate: Glover, Operations Research 16(4), 1968). The cost
  of rung i is sum(theta_k u_ki / B_k), the budget 1.
- By cost, multipliers mu_k of the limits, of sum gamma, leave the target as the only limit and
  c_i + sum(mu_k q u_ki / B_k) - gamma as the cost; the wait adds (beta - gamma) v_0, so a bound
  needs the target's multiplier beta to be at least gamma.

Every price gives a bound over all rungs: if costs decrease with speed, the cost of a rung is
replaced by the least cost of the faster rungs, which can only loosen the bound. It also gives a
ladder on the hull at that price, without the rungs that have fewer threads than a slower rung; the
ladder is feasible with a wait that is long enough for the scarcest supply. The price of a supply
changes with its use relative to its capacity, in steps that are halved when the direction changes.
The answer is the best ladder on the lines between these ladders, with the best bound; the gap
between them is reported.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tailc_solvers.intervals.evaluate import FEASIBILITY_TOLERANCE
from tailc_solvers.ladder.chains import chain
from tailc_solvers.ladder.kernels import DualAnswer, Hull, fixed_multiplier
from tailc_solvers.ladder.mixes import LadderLimits, best_between, durations_of, ends_of_all, judge
from tailc_solvers.ladder.prices import SupplyPrices
from tailc_solvers.ladder.rows import (
    hull_of,
    least_costs,
    least_tails,
    rung_ends,
    sorted_steps,
    sorted_weights,
)
from tailc_solvers.sample import WeightedSample

MOST_PRICES = 40
CLOSE_ENOUGH = 2e-4
"""Relative gap at which no more prices are tried."""

SPARE = 1e-4
"""Relative: ladders are proposed for so much more load, so that what a price leaves over a limit
does not end as a wait of microseconds."""

FIRST_PRICE = 1e-2
"""Initial price of a whole supply, relative to the cost of the most expensive rung."""

LARGE_GAP = 2e-3
"""Relative gap above which a row is searched again, from the prices of the row before."""

LEAST_PRICE = 1e-6
"""Least price: a share of the prices if the tail, of the dearest rung if cost is minimised."""


@dataclass(frozen=True)
class LimitedSolution:
    """The best ladder found for each of Q loads, in the order given; inf if there is none.

    Attributes:
        v_ms: wait, then wall time on each rung but the last, inf if it is never left [Q, rungs].
        tail_ms, mean_ms: tail and mean of wait plus execution time [Q].
        use: mean use of each limited resource by all requests at the load [Q, limits].
        primal: value of the objective [Q].
        bound: proved lower bound on the objective, over all ladders on these rungs [Q].
        prices: total number of prices tried.
    """

    v_ms: NDArray[np.float64]
    tail_ms: NDArray[np.float64]
    mean_ms: NDArray[np.float64]
    use: NDArray[np.float64]
    primal: NDArray[np.float64]
    bound: NDArray[np.float64]
    prices: int


@dataclass(frozen=True)
class _LimitedResult:
    """Result of one load: the ends of the best ladder, None without one, its value and bound.

    tried: number of prices tried. prices: the last ones.
    """

    ends: NDArray[np.float64] | None
    value: float
    bound: float
    tried: int
    prices: NDArray[np.float64]

    @property
    def is_close(self) -> bool:
        return self.value <= self.bound * (1 + LARGE_GAP)

    def or_better(self, other: _LimitedResult) -> _LimitedResult:
        """The better ladder with the better bound."""
        best = self if self.value <= other.value else other
        return replace(best, bound=max(self.bound, other.bound), tried=self.tried + other.tried)


def solve_limited(
    sample: WeightedSample,
    uses: ArrayLike,
    supplies: ArrayLike,
    loads: ArrayLike,
    *,
    rank: int,
    widths: ArrayLike | None = None,
    cost: ArrayLike | None = None,
    target_ms: float | None = None,
) -> LimitedSolution:
    """Find the best ladder for each load within the capacities of all supplies.

    Args:
        sample: demands and weights; all requests must follow one curve, slow rungs first.
        uses: use of each supply by each rung [limits, rungs].
        supplies: mean capacity of each supply, positive [limits].
        loads: positive loads q [Q].
        rank: 1-based rank of the request whose time is the tail, weights counted.
        widths: threads of each rung, which must not decrease in a climb [rungs]; None: any may.
        cost: rate of each rung, to minimise its W with the tail within `target_ms`; None: minimise
            the tail.
        target_ms: the largest tail; with `cost` only, and required there.
    """
    if (cost is None) != (target_ms is None):
        raise ValueError("the objective `cost` needs `target_ms`")
    if (sample.curve != sample.curve[0]).any():
        raise ValueError("the dual needs one common curve")
    speeds = sample.speeds[sample.curve[0]]
    if (np.diff(speeds) < 0).any():
        raise ValueError("rungs must be in order of speed")
    limits = LadderLimits(
        sorted_steps(*sorted_weights(sample), rank),
        speeds,
        np.atleast_2d(np.asarray(uses, dtype=np.float64)),
        np.atleast_1d(np.asarray(supplies, dtype=np.float64)),
        np.ones(speeds.size, np.int64) if widths is None else np.asarray(widths, np.int64),
        None if cost is None else np.asarray(cost, dtype=np.float64),
        target_ms,
    )
    load = np.atleast_1d(np.asarray(loads, dtype=np.float64))
    return _solution(limits, load, _of_each(limits, load))


def _of_each(limits: LadderLimits, load: NDArray[np.float64]) -> list[_LimitedResult]:
    tail_limits, ones = replace(limits, cost=None, target_ms=None), np.ones(limits.supplies.size)
    tails = _search_loads(lambda each, prices: _least_tail(tail_limits, each, prices), load, ones)
    if limits.cost is None:
        return tails
    by_load = dict(zip(load.tolist(), tails, strict=True))
    first = ones * FIRST_PRICE * limits.cost.max()
    return _search_loads(
        lambda each, prices: _least_cost(limits, each, by_load[each], prices), load, first
    )


def _search_loads(
    search: Callable[[float, NDArray[np.float64]], _LimitedResult],
    load: NDArray[np.float64],
    first: NDArray[np.float64],
) -> list[_LimitedResult]:
    """Search loads in order, each from the first prices, and again if the gap was large."""
    found: list[_LimitedResult] = []
    for each in load.tolist():
        one = search(each, first)
        if found and one.ends is not None and not one.is_close:
            one = one.or_better(search(each, found[-1].prices))
        found.append(one)
    return found


def _solution(
    limits: LadderLimits, load: NDArray[np.float64], found: Sequence[_LimitedResult]
) -> LimitedSolution:
    v_ms = np.full((load.size, limits.speeds.size), np.inf)
    figures = np.full((3, load.size), np.inf)
    use = np.full((load.size, limits.supplies.size), np.inf)
    for row, one in enumerate(found):
        if one.ends is None:
            continue
        judged = judge(limits, load[row], one.ends[None])
        wait_ms = judged.wait_ms[0]
        v_ms[row] = np.append(wait_ms, durations_of(limits, one.ends)[:-1])
        figures[:, row] = judged.tail_ms[0], judged.mean_ms[0], judged.value[0]
        running = 1 - wait_ms / judged.mean_ms[0]
        use[row] = judged.asked[0] * running * limits.supplies * (1 + FEASIBILITY_TOLERANCE)
    tail_ms, mean_ms, primal = figures
    bound = np.array([one.bound for one in found])
    prices = sum(one.tried for one in found)
    return LimitedSolution(v_ms, tail_ms, mean_ms, use, primal, np.minimum(bound, primal), prices)


def _least_tail(limits: LadderLimits, load: float, first: NDArray[np.float64]) -> _LimitedResult:
    prices = SupplyPrices(first / first.sum(), LEAST_PRICE)
    ladders, bound, least = [], -np.inf, np.inf
    while len(ladders) < MOST_PRICES:
        costs = _by_tail(limits, prices.each)
        answer = least_tails(limits.steps, hull_of(limits.speeds, _rising(costs)), _of_one(load))
        bound = max(bound, float(answer.bound[0]))
        ladders.append(_tail_ladder(limits, load, costs))
        judged = judge(limits, load, ladders[-1][None])
        least = min(least, float(judged.value[0]))
        if least <= bound * (1 + CLOSE_ENOUGH) or limits.supplies.size == 1:
            break
        # A wait frees all supplies equally, so only their ratios matter.
        if not prices.move(judged.asked[0] / (prices.each @ judged.asked[0] / prices.each.sum())):
            break
    return _best_mix(limits, load, ladders, bound, prices)


def _best_mix(
    limits: LadderLimits,
    load: float,
    ladders: Sequence[NDArray[np.float64]],
    bound: float,
    prices: SupplyPrices,
) -> _LimitedResult:
    best = best_between(limits, load, ladders)
    value = np.inf if best is None else float(judge(limits, load, best[None]).value[0])
    return _LimitedResult(best, value, bound, len(ladders), prices.each)


def _by_tail(limits: LadderLimits, prices: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cost of each rung for a budget of one [rungs]."""
    return (prices / prices.sum() / limits.supplies) @ limits.uses


def _of_one(load: float) -> NDArray[np.float64]:
    """A load over a budget of one."""
    return np.array([load / (1 + FEASIBILITY_TOLERANCE)])


def _rising(costs: NDArray[np.float64]) -> NDArray[np.float64]:
    """The least cost of each rung and all faster ones [rungs]."""
    return np.minimum.accumulate(costs[::-1])[::-1]


def _tail_ladder(
    limits: LadderLimits, load: float, costs: NDArray[np.float64]
) -> NDArray[np.float64]:
    rungs = chain(limits.speeds, costs, limits.widths)
    hull = hull_of(limits.speeds[rungs], costs[rungs])
    answer = least_tails(limits.steps, hull, _of_one(load * (1 + SPARE)))
    return _ends(limits, rungs, hull, answer)


def _ends(
    limits: LadderLimits, rungs: NDArray[np.int64], hull: Hull, answer: DualAnswer
) -> NDArray[np.float64]:
    return ends_of_all(limits, rungs, rung_ends(limits.steps, hull, answer)[0])


def _least_cost(
    limits: LadderLimits, load: float, by_tail: _LimitedResult, first: NDArray[np.float64]
) -> _LimitedResult:
    """The ladder of least cost; `by_tail`, of the least tail, meets the target if any does."""
    assert limits.cost is not None
    assert by_tail.ends is not None
    free = _cost_ladder(limits, limits.cost)
    if free is None:
        return _LimitedResult(None, np.inf, np.inf, 1, first)
    ladders, others = [free], [by_tail.ends]
    bound = _cost_bound(limits, _rising(limits.cost), 0.0)
    least = float(judge(limits, load, free[None]).value[0])
    if least <= bound * (1 + CLOSE_ENOUGH):
        # No supply is scarce.
        return _LimitedResult(free, least, bound, 1, first)
    prices = SupplyPrices(first, LEAST_PRICE * float(limits.cost.max()))
    while len(ladders) < MOST_PRICES:
        costs = limits.cost + load * (prices.each / limits.supplies) @ limits.uses
        costs = costs - prices.each.sum()
        bound = max(bound, _cost_bound(limits, _rising(costs), float(prices.each.sum())))
        ladder = _cost_ladder(limits, costs)
        assert ladder is not None
        ladders.append(ladder)
        others.append(_tail_ladder(limits, load, _by_tail(limits, prices.each)))
        judged = judge(limits, load, ladder[None])
        least = min(least, float(judged.value[0]))
        if least <= bound * (1 + CLOSE_ENOUGH):
            break
        if not prices.move(judged.asked[0]):
            break
    return _best_mix(limits, load, [*ladders, *others], bound, prices)


def _target(limits: LadderLimits) -> float:
    assert limits.target_ms is not None
    return limits.target_ms * (1 + FEASIBILITY_TOLERANCE)


def _cost_bound(limits: LadderLimits, costs: NDArray[np.float64], gamma: float) -> float:
    hull, target = hull_of(limits.speeds, costs), _target(limits)
    answer = least_costs(limits.steps, hull, np.zeros(1), target)
    if answer.weights[0, 1] >= gamma:
        return float(answer.bound[0])
    return fixed_multiplier(limits.steps, hull, gamma) - gamma * target


def _cost_ladder(limits: LadderLimits, costs: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """The ladder of least cost; None if the target cannot be met."""
    rungs = chain(limits.speeds, costs, limits.widths)
    hull = hull_of(limits.speeds[rungs], _rising(costs[rungs]))
    answer = least_costs(limits.steps, hull, np.zeros(1), _target(limits))
    if np.isinf(answer.primal[0]):
        return None
    return _ends(limits, rungs, hull, answer)
