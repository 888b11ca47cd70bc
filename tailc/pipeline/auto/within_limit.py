"""Compare tables that must keep a latency: by how often they miss it, then by what they cost.

At each rate a table is compared with the baseline that a careful user would pick there: of those
that keep the latency on the requests of the search and in nearly all resamples, the cheapest; where
there is none, the one that misses it least often.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.experiment.tuning_objective import TuningObjective
from tailc.pipeline.auto.resamples import Resamples
from tailc.pipeline.queue.goals import aspect_of
from tailc.pipeline.queue.judge import interval
from tailc.pipeline.queue.tuning_sample import Form, Measurements

# A replay of a resample shows a tail, and what a request costs, no closer than that.
NOISE, _COST_NOISE = 0.05, 0.01
# The requests of the search, and the mean of the resamples, show a tail no closer than that.
_MEAN_NOISE = 0.01
# What costs more than that counts so many times more, and a tail beyond the limit yet more.
_WORSE, _MISSED = 5.0, 20.0


@dataclass(frozen=True, eq=False)
class Shown:
    """What tables show over resamples, float64 (tables, resamples, rates).

    excess: the largest percentile over its limit; cost: of a request. typical: the excess in the
    mean of the resamples, or on the requests as they are if that is larger; (tables, rates).
    """

    excess: NDArray[np.float64]
    cost: NDArray[np.float64]
    typical: NDArray[np.float64]

    def at_rates(self, table_of_rate: NDArray[np.intp]) -> Shown:
        """As of one table that is another at each rate."""
        at = np.arange(len(table_of_rate))
        excess, cost = (each[table_of_rate, :, at].T[None] for each in (self.excess, self.cost))
        return Shown(excess, cost, self.typical[table_of_rate, at][None])

    @property
    def misses(self) -> NDArray[np.bool_]:
        """Whether a limit is missed beyond noise."""
        return self.excess > 1.0 + NOISE

    def keeps(self, risk: float) -> NDArray[np.bool_]:
        """Whether each table keeps its limits at each rate, (tables, rates)."""
        return (self.misses.mean(axis=1) <= risk) & (self.typical <= 1.0 + _MEAN_NOISE)


def excess_of(seen: Measurements, aim: TuningObjective) -> NDArray[np.float64]:
    """The largest percentile over its limit, of all objectives; (tables, scenes, repeats)."""
    assert aim.limit_us is not None
    tails = seen.tail_us / aim.limit_us
    return tails if seen.closest is None else np.maximum(tails, seen.closest)


def shown(
    over_resamples: Measurements, as_they_are: Measurements, resamples: Resamples[Form]
) -> Shown:
    """What tables show over resamples, and on the requests as they are at the same rates."""
    aim = resamples.aim
    each = excess_of(over_resamples, aim), aspect_of(aim).amounts(over_resamples)
    excess, cost = (resamples.by_resample(one.mean(axis=2)) for one in each)
    typical = np.maximum(excess.mean(axis=1), excess_of(as_they_are, aim).mean(axis=2))
    return Shown(excess, cost, typical)


def careful_choice(baselines: Shown, risk: float) -> NDArray[np.intp]:
    """The number of the baseline to compare with at each rate, int (rates,)."""
    missed = baselines.misses.mean(axis=1) + baselines.typical
    beyond = np.where(baselines.keeps(risk), 0.0, missed)
    return np.lexsort((baselines.cost.mean(axis=1), beyond), axis=0)[0]


def losses(own: Shown, best: Shown) -> NDArray[np.float64]:
    """The share of resamples in which each table is worse at some rate than the best baseline.

    It misses the limit and has a longer tail, or costs more, beyond noise. Where the baseline
    misses the limit and has the longer tail, the cost is no matter.
    """
    is_dear = (own.cost > (1.0 + _COST_NOISE) * best.cost) & ~_is_later(best, own)
    return (_is_later(own, best) | is_dear).any(axis=2).mean(axis=1)


def regrets(own: Shown, best: Shown) -> NDArray[np.float64]:
    """The mean relative loss of each table, in cost, and more for a limit that it misses."""
    change = np.where(_is_later(best, own), 0.0, own.cost / best.cost - 1.0)
    dear = _WORSE * np.maximum(change - _COST_NOISE, 0.0)
    missed = np.maximum(own.excess - np.maximum(best.excess, 1.0 + NOISE), 0.0)
    typical = np.maximum(own.typical - np.maximum(best.typical, 1.0 + _MEAN_NOISE), 0.0)
    by_rate = (change + dear + _MISSED * missed).mean(axis=1) + _MISSED * typical
    return by_rate.mean(axis=1)


def changes_in_cost(
    own: Measurements, best: Measurements, aim: TuningObjective
) -> NDArray[np.float64]:
    """The relative change of the cost, (tables, rates, replays); best: of one table."""
    amounts = aspect_of(aim).amounts
    return amounts(own) / amounts(best) - 1.0


def is_worse(own: Measurements, best: Measurements, aim: TuningObjective) -> NDArray[np.bool_]:
    """Whether each table is worse at some rate beyond chance, on the replays of some requests."""
    tail, best_tail = (excess_of(each, aim) for each in (own, best))
    is_later, is_sooner = (
        _is_positive(one - np.maximum((1.0 + _MEAN_NOISE) * other, 1.0))
        for one, other in ((tail, best_tail), (best_tail, tail))
    )
    is_dear = _is_positive(changes_in_cost(own, best, aim) - _COST_NOISE)
    return np.asarray((is_later | (is_dear & ~is_sooner)).any(axis=1))


def _is_later(one: Shown, other: Shown) -> NDArray[np.bool_]:
    """Whether one misses the limit, and has a longer tail than the other, beyond noise."""
    return one.excess > (1.0 + NOISE) * np.maximum(other.excess, 1.0)


def _is_positive(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether the mean of replays surely is, (tables, rates)."""
    return np.array([[interval(replays)[0] > 0.0 for replays in table] for table in values])
