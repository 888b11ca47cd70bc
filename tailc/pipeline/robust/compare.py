"""What tables do as measured and in the worst case, on requests that they were not tuned on.

All meet the same requests at the same times in every case, so a change from one table to another is
taken replay by replay; intervals are Student's at 95 % for the chance of arrivals and of their
order. The worst case of a table is the one with the longest tail in the mean of the replays.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.forms.ladder.table import Ladder
from tailc.percentiles import PPM
from tailc.pipeline.queue.trials import Trials
from tailc.replay.queue_aim import QueueAim
from tailc.verify.repeats import mean_and_half


@dataclass(frozen=True)
class Tail:
    """A tail in the mean of replays, and the interval of that mean."""

    us: int
    low_us: int
    high_us: int


@dataclass(frozen=True)
class Change:
    """A relative change in the mean of replays, and its interval."""

    ppm: int
    low_ppm: int
    high_ppm: int


@dataclass(frozen=True)
class Stand:
    """A table's tail at a rate as measured, and in its worst case, whose number is `case`."""

    nominal: Tail
    worst: Tail
    case: int


@dataclass(frozen=True)
class RateStands:
    """At one rate: three tables, and what robustness costs and gains.

    price: of the robust table's tail as measured relative to the plain one's; gain: of the worst.
    """

    rate_mrps: int
    formula: Stand
    plain: Stand
    robust: Stand
    price: Change
    gain: Change


@dataclass(frozen=True)
class Compared:
    """By rate; and whether the robust table is better than the formula's in the worst case, beyond
    chance, and at no rate shown to be worse, as measured or in the worst case.
    """

    rates: tuple[RateStands, ...]
    is_better: bool


def compared(
    formula: Ladder, plain: Ladder, robust: Ladder, trials: Trials[Ladder], aim: QueueAim
) -> Compared:
    """The three on the trials, whose scenes are cases of all rates, what was measured first."""
    found = trials.tails_us([formula, plain, robust])
    by_case = found.reshape(3, -1, len(aim.rates_mrps), found.shape[-1])
    rates = tuple(
        _at_rate(rate_mrps, by_case[:, :, number])
        for number, rate_mrps in enumerate(aim.rates_mrps)
    )
    return Compared(rates, _is_better(by_case, aim.weights))


def _at_rate(rate_mrps: int, tails_us: NDArray[np.int64]) -> RateStands:
    """tails_us: (tables, cases, repeats)."""
    stands = [_stand(one) for one in tails_us]
    plain, robust = stands[1:]
    price = _change(tails_us[2, 0], tails_us[1, 0])
    gain = _change(tails_us[2, robust.case], tails_us[1, plain.case])
    return RateStands(rate_mrps, *stands, price=price, gain=gain)


def _stand(tails_us: NDArray[np.int64]) -> Stand:
    case = _worst(tails_us)
    return Stand(_tail(tails_us[0]), _tail(tails_us[case]), case)


def _worst(tails_us: NDArray[np.int64]) -> int:
    """The first with the longest mean, of (cases, repeats)."""
    return int(np.argmax(tails_us.mean(axis=1)))


def _is_better(by_case: NDArray[np.int64], weights: Sequence[int]) -> bool:
    """by_case: (tables, cases, rates, repeats)."""
    nominal, worst = [], []
    for number in range(len(weights)):
        formula, _, robust = by_case[:, :, number]
        nominal.append(_relative(robust[0], formula[0]))
        worst.append(_relative(robust[_worst(robust)], formula[_worst(formula)]))
    share = np.array(weights) / sum(weights)
    whole = (np.array(worst) * share[:, None]).sum(axis=0)
    is_worse = any(_limits(one)[1] > 0 for one in (*nominal, *worst))
    return _limits(whole)[2] < 0 and not is_worse


def _relative(tails_us: NDArray[np.int64], to_us: NDArray[np.int64]) -> NDArray[np.float64]:
    return tails_us / np.maximum(to_us, 1) - 1.0


def _change(tails_us: NDArray[np.int64], to_us: NDArray[np.int64]) -> Change:
    mean, low, high = (PPM * one for one in _limits(_relative(tails_us, to_us)))
    return Change(round(mean), math.floor(low), math.ceil(high))


def _tail(tails_us: NDArray[np.int64]) -> Tail:
    mean, low, high = _limits(tails_us.astype(np.float64))
    return Tail(round(mean), math.floor(low), math.ceil(high))


def _limits(values: NDArray[np.float64]) -> tuple[float, float, float]:
    mean, half = mean_and_half(values.tolist())
    assert half is not None
    return mean, mean - half, mean + half
