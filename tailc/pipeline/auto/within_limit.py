"""Compare tables under a latency limit: first by how often they miss it, then by their cost.

At each rate a table is compared with one baseline: the cheapest of those that meet the limit on the
requests of the search and in nearly all resamples, or else the one that misses it least often.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.experiment.tuning_objective import TuningObjective
from tailc.pipeline.auto.resamples import Resamples
from tailc.tuning.criteria import measure_of
from tailc.tuning.tuning_sample import Form, Measurements
from tailc.tuning.validation import mean_interval

# Relative error of a tail, and of a cost, in the replay of a resample.
NOISE, _COST_NOISE = 0.05, 0.01
# Relative error of a tail on the requests of the search, and of the mean of the resamples.
_MEAN_NOISE = 0.01
# Weights, in a regret, of cost beyond its error and of a tail beyond its limit.
_WORSE, _MISSED = 5.0, 20.0


@dataclass(frozen=True, eq=False)
class Excess:
    """Latency percentiles relative to their limits, and costs, for several tables.

    excess: the largest ratio of a percentile to its limit; cost: of a request; both float64
    (tables, resamples, rates). typical: float64 (tables, rates), the larger of the mean excess of
    the resamples and that on the original requests.
    """

    excess: NDArray[np.float64]
    cost: NDArray[np.float64]
    typical: NDArray[np.float64]

    def at_rates(self, table_of_rate: NDArray[np.intp]) -> Excess:
        """Combine several tables, one chosen for each rate, to the values of one table.

        table_of_rate: number of the table at each rate.
        """
        at = np.arange(len(table_of_rate))
        excess, cost = (each[table_of_rate, :, at].T[None] for each in (self.excess, self.cost))
        return Excess(excess, cost, self.typical[table_of_rate, at][None])

    @property
    def misses(self) -> NDArray[np.bool_]:
        """Whether a latency percentile exceeds its limit by more than noise.

        Shape: (tables, resamples, rates).
        """
        return self.excess > 1.0 + NOISE

    def keeps(self, risk: float) -> NDArray[np.bool_]:
        """Whether each table meets its limits at each rate; (tables, rates).

        risk: share of the resamples in which a table may miss a limit.
        """
        return (self.misses.mean(axis=1) <= risk) & (self.typical <= 1.0 + _MEAN_NOISE)


def excess_of(seen: Measurements, aim: TuningObjective) -> NDArray[np.float64]:
    """Largest ratio of a latency percentile to its limit over all SLOs.

    Shape: (tables, points, repeats).
    """
    assert aim.limit_us is not None
    tails = seen.tail_us / aim.limit_us
    return tails if seen.closest is None else np.maximum(tails, seen.closest)


def excess_and_cost(
    over_resamples: Measurements, as_they_are: Measurements, resamples: Resamples[Form]
) -> Excess:
    """Compute the ratios of percentiles to limits, and costs: on resamples, and on all requests.

    as_they_are: measurements on the original requests.
    """
    aim = resamples.aim
    each = excess_of(over_resamples, aim), measure_of(aim).amounts(over_resamples)
    excess, cost = (resamples.by_resample(one.mean(axis=2)) for one in each)
    typical = np.maximum(excess.mean(axis=1), excess_of(as_they_are, aim).mean(axis=2))
    return Excess(excess, cost, typical)


def careful_choice(baselines: Excess, risk: float) -> NDArray[np.intp]:
    """Choose the baseline to compare tables with at each rate: its number, int (rates,).

    The cheapest one that meets the limit with the risk, or else the one that misses it least.
    """
    missed = baselines.misses.mean(axis=1) + baselines.typical
    beyond = np.where(baselines.keeps(risk), 0.0, missed)
    return np.lexsort((baselines.cost.mean(axis=1), beyond), axis=0)[0]


def losses(own: Excess, best: Excess) -> NDArray[np.float64]:
    """Share of resamples in which each table is worse at some rate than the best baseline.

    A table is worse if it misses the limit with a longer tail, or if it costs more, beyond noise.
    Its cost is ignored where the baseline misses the limit with a longer tail.
    """
    is_dear = (own.cost > (1.0 + _COST_NOISE) * best.cost) & ~_is_later(best, own)
    return (_is_later(own, best) | is_dear).any(axis=2).mean(axis=1)


def regrets(own: Excess, best: Excess) -> NDArray[np.float64]:
    """Regret of each table: mean relative excess of cost, plus a penalty for a missed limit."""
    change = np.where(_is_later(best, own), 0.0, _relative_change(own.cost, best.cost))
    dear = _WORSE * np.maximum(change - _COST_NOISE, 0.0)
    missed = np.maximum(own.excess - np.maximum(best.excess, 1.0 + NOISE), 0.0)
    typical = np.maximum(own.typical - np.maximum(best.typical, 1.0 + _MEAN_NOISE), 0.0)
    by_rate = (change + dear + _MISSED * missed).mean(axis=1) + _MISSED * typical
    return by_rate.mean(axis=1)


def changes_in_cost(
    own: Measurements, best: Measurements, aim: TuningObjective
) -> NDArray[np.float64]:
    """Relative change of the cost from `best` to each table, (tables, rates, replays).

    best: measurements of a single table.
    """
    amounts = measure_of(aim).amounts
    return _relative_change(amounts(own), amounts(best))


def _relative_change(own: NDArray[np.float64], best: NDArray[np.float64]) -> NDArray[np.float64]:
    """Relative change of a cost; 0 where one of the two is unknown, so that only latency decides.

    An unknown cost is 0 or not finite, such as that of an overloaded server.
    """
    is_known = np.isfinite(own) & np.isfinite(best) & (best > 0.0)
    return np.where(is_known, own, 1.0) / np.where(is_known, best, 1.0) - 1.0


def is_worse(own: Measurements, best: Measurements, aim: TuningObjective) -> NDArray[np.bool_]:
    """Whether each table is worse than `best` at some rate, beyond chance.

    own, best: measurements in replays of the same requests.
    """
    tail, best_tail = (excess_of(each, aim) for each in (own, best))
    is_later, is_sooner = (
        _is_positive(one - np.maximum((1.0 + _MEAN_NOISE) * other, 1.0))
        for one, other in ((tail, best_tail), (best_tail, tail))
    )
    is_dear = _is_positive(changes_in_cost(own, best, aim) - _COST_NOISE)
    return np.asarray((is_later | (is_dear & ~is_sooner)).any(axis=1))


def _is_later(one: Excess, other: Excess) -> NDArray[np.bool_]:
    """Whether one misses the limit, and has a longer tail than the other, beyond noise."""
    return one.excess > (1.0 + NOISE) * np.maximum(other.excess, 1.0)


def _is_positive(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether the interval of the mean over replays is above 0, (tables, rates)."""
    return np.array([[mean_interval(replays)[0] > 0.0 for replays in table] for table in values])
