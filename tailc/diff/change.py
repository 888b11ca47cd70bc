"""The change of a quantity from one policy to another, with an interval on common random numbers.

The difference is taken within each replay of both, so what moves both alike cancels. What is left
varies with the held-out requests, which are a sample, and with the arrivals of the repeats.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tailc.diff.limits import Scatter, bending, limits, of_days, of_mean, of_middle
from tailc.diff.paired import (
    MeanLatency,
    MeanThreads,
    Numbers,
    Percentile,
    Quantity,
    Utilization,
    percentile,
)
from tailc.experiment.interval import Variance
from tailc.experiment.pairs import Pair, Pairs
from tailc.experiment.replications import Replications
from tailc.experiment.tail_sample import Tail
from tailc.order_statistics import LEAST_FREEDOM, fewest_for_upper_limit

_NONE = Variance(0.0, math.inf)
_TINY = 1e-300
# A variance of replays, estimated, is hardly ever so many times too small.
_SURELY_NOISE = 1.5
# A parabola goes through three points, whatever they are.
_FEWEST_REPLICATES = 4
# Parts that differ by less are one.
_RANK = 1e-9


class Shown(enum.Enum):
    """What the replays show of a quantity of which less is better."""

    BETTER = "better"
    WORSE = "worse"
    UNSHOWN = "no change shown"


@dataclass(frozen=True)
class PairedChange:
    """OLD, NEW, and NEW - OLD with its 95 % interval, in the unit of the quantity.

    low and high are None where the held-out requests are too few to limit the change.
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
    def shown(self) -> Shown:
        """Better or worse where the whole interval is."""
        if self.high is not None and self.high < 0:
            return Shown.BETTER
        if self.low is not None and self.low > 0:
            return Shown.WORSE
        return Shown.UNSHOWN


@dataclass(frozen=True, eq=False)
class Compared:
    """Both policies under one arrival process: the repeats, and the change of each quantity.

    The percentiles come first, then mean latency, mean threads and utilization, and what requests
    cost besides.
    """

    pairs: tuple[Pair, ...]
    changes: tuple[PairedChange, ...]


def compare(pairs: Pairs, tails: Sequence[Tail], costs: Sequence[Quantity]) -> Compared:
    """Run every replay of both; `costs` are compared after percentiles and means."""
    experiment = pairs.experiments[0]
    scenario, replications = experiment.scenario, experiment.replications
    found = experiment.mapped(pairs.pair, replications.repeats)
    quantities: list[Quantity] = [
        *(percentile(scenario, tail, replications.repeats, found) for tail in tails),
        MeanLatency(),
        MeanThreads(),
        Utilization(),
        *costs,
    ]

    def replicate(number: int) -> list[tuple[float, float]]:
        one = replications.replicate(number)
        pair = pairs.pair(one)
        return [quantity.values(one, pair) for quantity in quantities]

    rows = experiment.mapped(replicate, range(replications.replicates))
    by_replicate = np.array(rows, dtype=float).reshape(len(rows), len(quantities), 2)
    spread = _Spread(replications, found)
    return Compared(
        tuple(found),
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
        # A replay that was given up has other requests under each policy.
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

    def change(self, quantity: Quantity, by_replicate: Numbers) -> PairedChange:
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
        return _change(old, new, limits(sampling, _of_mean(by_repeat)))

    def _sampling(self, quantity: Quantity, by_repeat: Numbers, by_replicate: Numbers) -> Scatter:
        """Over samples of held-out requests, or over days of recorded arrivals."""
        replicates = len(by_replicate)
        if replicates < _FEWEST_REPLICATES:
            return Scatter(_NONE)
        if self._scenario.arrivals.is_recorded:
            spread = self._scenario.spread
            freedom = max(min(replicates, spread.units) - 1, 1)
            return of_days(by_replicate, spread.drawn_share, freedom)
        paired = [self._replications.repeat_of(number) for number in range(replicates)]
        return self._of_requests(quantity, by_replicate - by_repeat[paired], by_repeat)

    def _of_requests(self, quantity: Quantity, shift: Numbers, by_repeat: Numbers) -> Scatter:
        """Over samples of held-out requests; `shift` is how much more each replicate differs.

        Two replays of nearly the same requests part ways as their queues do, so where a change is
        small a replicate's shift is mostly noise of its own, of which the estimate, a mean over
        repeats, has next to none. So of the shift only two things are taken: what the requests
        drawn add by themselves, known from the repeats, and what goes with the load they bring,
        by regression. Where the shift varies far more than two replays do, it is taken whole.
        """
        effect, noise = self._by_record([quantity.effects(one, pair) for one, pair in self._whole])
        drawn, load = self._of_drawn(effect), self._of_drawn(self._burden)
        per_effect = 1.0
        if quantity.effects_are_known:
            (per_load,) = _fitted(shift - drawn, load)
        else:
            per_effect, per_load = _fitted(shift, drawn, load)
        influence = per_effect * effect + per_load * self._burden
        held_out = self._scenario.workload.requests
        found = of_mean(influence, self._burden, self._share, held_out)
        of_noise = per_effect**2 * float((self._share * noise).sum()) / held_out
        value = max(found.variance.value - of_noise, self._excess(shift, by_repeat), 0.0)
        freedom = min(found.variance.freedom, self._scenario.spread.freedom)
        variance = Variance(value, max(freedom, LEAST_FREEDOM))
        return found.scatter(variance, bending(shift - per_effect * drawn, load))

    def _excess(self, shift: Numbers, by_repeat: Numbers) -> float:
        """The variance of the shift that two replays of the same requests do not explain.

        By its middle: a replicate that overloads a server is far from all others.
        """
        whole = of_middle(shift) * self._scenario.spread.drawn_share
        if len(by_repeat) > 1:
            whole -= _SURELY_NOISE * 2 * float(np.var(by_repeat, ddof=1))
        return whole

    def _of_drawn(self, of_record: Numbers) -> Numbers:
        """The mean over the requests that each replicate drew."""
        return np.array([of_record[drawn].mean() for drawn in self._replications.resampled])

    def _by_record(self, parts: Sequence[Numbers]) -> tuple[Numbers, Numbers]:
        """Mean of each record over its requests in all repeats, less the mean of all; and the
        variance of that mean.
        """
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


def _fitted(shift: Numbers, *parts: Numbers) -> list[float]:
    """How much of each part the shift has in it, by least squares; none of a part that is 0."""
    matrix = np.column_stack(parts)
    scale = np.maximum(np.abs(matrix).max(axis=0), _TINY)
    found, *_ = np.linalg.lstsq(matrix / scale, shift - shift.mean(), rcond=_RANK)
    return [float(value) for value in found / scale]


def _of_mean(by_repeat: Numbers) -> Variance:
    """Of a mean over repeats, which are independent."""
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
