"""Change of a quantity between two policies, with an interval from common random numbers.

Both policies are replayed with the same requests and arrivals, so common variation cancels in the
difference. It still varies with the held-out requests, which are a sample, and with the random
arrivals of each replication.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tailc.diff.limits import (
    SamplingError,
    curvature,
    limits,
    mean_moments,
    robust_variance,
    sampling_error_of_days,
)
from tailc.diff.paired_quantities import (
    MeanLatency,
    MeanThreads,
    Numbers,
    PairedQuantity,
    Percentile,
    Utilization,
    percentile,
)
from tailc.experiment.interval import Variance
from tailc.experiment.pairs import Pair, SubjectPairs
from tailc.experiment.replications import Replications
from tailc.experiment.tail_sample import Tail
from tailc.order_statistics import LEAST_FREEDOM, fewest_for_upper_limit

_NONE = Variance(0.0, math.inf)
_TINY = 1e-300
# An estimated variance of replays is almost never too small by this factor.
_SURELY_NOISE = 1.5
# A parabola always fits three points.
_FEWEST_REPLICATES = 4
# Parts that differ by less count as equal.
_RANK = 1e-9


class Significance(enum.Enum):
    """Whether the new policy is better or worse in a quantity, or no change is shown."""

    BETTER = "better"
    WORSE = "worse"
    UNSHOWN = "no change shown"


@dataclass(frozen=True)
class PairedChange:
    """A quantity under OLD and NEW, and NEW - OLD with its 95 % interval.

    All are in the unit of the quantity. low and high are None if there are too few held-out
    requests to limit the change.
    """

    old: int
    new: int
    difference: int
    low: int | None
    high: int | None

    def __post_init__(self) -> None:
        assert (self.low is None) == (self.high is None)
        assert self.low is None or self.low <= self.difference

    @property
    def significance(self) -> Significance:
        """Better or worse if the whole interval is below or above zero, else undecided."""
        if self.high is not None and self.high < 0:
            return Significance.BETTER
        if self.low is not None and self.low > 0:
            return Significance.WORSE
        return Significance.UNSHOWN


@dataclass(frozen=True, eq=False)
class PairComparison:
    """Two policies under one arrival process: paired results of each replay, and all changes.

    changes: first of the percentiles, then of mean latency, mean threads, utilization and other
    costs of requests.
    """

    pairs: tuple[Pair, ...]
    changes: tuple[PairedChange, ...]


def compare(
    pairs: SubjectPairs, tails: Sequence[Tail], costs: Sequence[PairedQuantity]
) -> PairComparison:
    """Replay both policies, and compute the change of percentiles, of means, and of `costs`."""
    experiment = pairs.experiments[0]
    scenario, replications = experiment.scenario, experiment.replications
    outcomes = experiment.map_replays(pairs.pair, replications.repeats)
    quantities: list[PairedQuantity] = [
        *(percentile(scenario, tail, replications.repeats, outcomes) for tail in tails),
        MeanLatency(),
        MeanThreads(),
        Utilization(),
        *costs,
    ]

    def replicate(number: int) -> list[tuple[float, float]]:
        one = replications.replicate(number)
        pair = pairs.pair(one)
        return [quantity.values(one, pair) for quantity in quantities]

    rows = experiment.map_replays(replicate, range(replications.replicates))
    by_replicate = np.array(rows, dtype=float).reshape(len(rows), len(quantities), 2)
    spread = _Spread(replications, outcomes)
    return PairComparison(
        tuple(outcomes),
        tuple(
            spread.change(quantity, by_replicate[:, number, 1] - by_replicate[:, number, 0])
            for number, quantity in enumerate(quantities)
        ),
    )


class _Spread:
    """How far the difference of a quantity may be from that of all requests."""

    def __init__(self, replications: Replications, pairs: Sequence[Pair]) -> None:
        self._scenario = scenario = replications.scenario
        self._replications = replications
        self._pairs = pairs
        # A replay that stopped early has other requests under each policy.
        self._whole = [
            (one, pair)
            for one, pair in zip(replications.repeats, pairs, strict=True)
            if not any(outcome.was_cut_off for outcome in pair)
        ]
        weight = scenario.workload.weight
        self._share = weight / weight.sum()
        self._burden = self._by_record(
            [pair[0].thread_ns[pair[0].measured] for _, pair in self._whole]
        )[0]

    def change(self, quantity: PairedQuantity, by_replicate: Numbers) -> PairedChange:
        """The change, given the difference in each bootstrap replicate."""
        values = np.array(
            [
                quantity.values(one, pair)
                for one, pair in zip(self._replications.repeats, self._pairs, strict=True)
            ]
        )
        old, new = values.mean(axis=0)
        is_known = True
        if isinstance(quantity, Percentile):
            old, new = (at_ns / 1_000 for at_ns in quantity.at_ns)
            needed = fewest_for_upper_limit(quantity.tail.percentile_ppm)
            is_known = quantity.held_out >= needed
        by_repeat = values[:, 1] - values[:, 0]
        if not is_known:
            return _change(old, new, None)
        sampling = self._sampling(quantity, by_repeat, by_replicate)
        return _change(old, new, limits(sampling, _variance_of_mean(by_repeat)))

    def _sampling(
        self, quantity: PairedQuantity, by_repeat: Numbers, by_replicate: Numbers
    ) -> SamplingError:
        """Scatter over samples of held-out requests, or over days of recorded arrivals."""
        replicates = len(by_replicate)
        if replicates < _FEWEST_REPLICATES:
            return SamplingError(_NONE)
        if self._scenario.arrivals.is_recorded:
            spread = self._scenario.spread
            freedom = max(min(replicates, spread.units) - 1, 1)
            return sampling_error_of_days(by_replicate, spread.drawn_share, freedom)
        paired = [self._replications.repeat_of(number) for number in range(replicates)]
        return self._of_requests(quantity, by_replicate - by_repeat[paired], by_repeat)

    def _of_requests(
        self, quantity: PairedQuantity, shift: Numbers, by_repeat: Numbers
    ) -> SamplingError:
        """Scatter over samples of held-out requests; `shift` is each replicate's excess difference.

        Two replays of almost the same requests diverge with their queues. So if a change is small,
        a replicate's shift is mostly its own noise, while the estimate, a mean over repeats, has
        almost none. So only two parts of the shift are used: the direct effect of the drawn
        requests, known from the repeats, and the effect of their load, by regression. If the shift
        varies much more than two replays do, all of it is used.
        """
        effect, noise = self._by_record([quantity.effects(one, pair) for one, pair in self._whole])
        drawn, load = self._of_drawn(effect), self._of_drawn(self._burden)
        per_effect = 1.0
        if quantity.effects_are_known:
            (per_load,) = _fit(shift - drawn, load)
        else:
            per_effect, per_load = _fit(shift, drawn, load)
        influence = per_effect * effect + per_load * self._burden
        held_out = self._scenario.workload.requests
        outcomes = mean_moments(influence, self._burden, self._share, held_out)
        of_noise = per_effect**2 * float((self._share * noise).sum()) / held_out
        value = max(outcomes.variance.value - of_noise, self._excess(shift, by_repeat), 0.0)
        freedom = min(outcomes.variance.freedom, self._scenario.spread.freedom)
        variance = Variance(value, max(freedom, LEAST_FREEDOM))
        return outcomes.scatter(variance, curvature(shift - per_effect * drawn, load))

    def _excess(self, shift: Numbers, by_repeat: Numbers) -> float:
        """The variance of the shift beyond that of two replays of the same requests.

        By its middle, because a replicate that overloads a server is far from all others.
        """
        whole = robust_variance(shift) * self._scenario.spread.drawn_share
        if len(by_repeat) > 1:
            whole -= _SURELY_NOISE * 2 * float(np.var(by_repeat, ddof=1))
        return whole

    def _of_drawn(self, of_record: Numbers) -> Numbers:
        """The mean over the requests that each replicate drew."""
        return np.array([of_record[drawn].mean() for drawn in self._replications.bootstrap_samples])

    def _by_record(self, parts: Sequence[Numbers]) -> tuple[Numbers, Numbers]:
        """Mean effect of each record over all repeats, less the overall mean; and its variance."""
        records = len(self._share)
        count, first, second = np.zeros(records), np.zeros(records), np.zeros(records)
        for (one, pair), part in zip(self._whole, parts, strict=True):
            order = one.order[pair[0].measured]
            count += np.bincount(order, minlength=records)
            first += np.bincount(order, part, records)
            second += np.bincount(order, part**2, records)
        mean = first / np.maximum(count, 1)
        mean = np.where(count > 0, mean - (self._share * mean).sum(), 0.0)
        around = second / np.maximum(count, 1) - (first / np.maximum(count, 1)) ** 2
        return mean, np.where(count > 1, np.maximum(around, 0.0) / np.maximum(count - 1, 1), 0.0)


def _fit(shift: Numbers, *parts: Numbers) -> list[float]:
    """Coefficient of each part in the shift, by least squares; 0 for a part that is 0."""
    matrix = np.column_stack(parts)
    scale = np.maximum(np.abs(matrix).max(axis=0), _TINY)
    outcomes, *_ = np.linalg.lstsq(matrix / scale, shift - shift.mean(), rcond=_RANK)
    return [float(value) for value in outcomes / scale]


def _variance_of_mean(by_repeat: Numbers) -> Variance:
    """Variance of a mean over independent repeats."""
    if len(by_repeat) < 2:
        return _NONE
    return Variance(float(np.var(by_repeat, ddof=1)) / len(by_repeat), len(by_repeat) - 1)


def _change(old: float, new: float, apart: tuple[float, float] | None) -> PairedChange:
    """Limits are rounded outwards, so that none excludes 0 by less than the unit."""
    difference = new - old
    if apart is None:
        return PairedChange(round(old), round(new), round(difference), None, None)
    return PairedChange(
        round(old),
        round(new),
        round(difference),
        math.floor(difference + apart[0]),
        math.ceil(difference + apart[1]),
    )
