"""What tables do as measured and in the worst case, on requests that they were not tuned on.

All meet the same requests at the same times in every case, so a change from one table to another is
taken replay by replay; intervals are Student's at 95 % for the chance of arrivals and of their
order. The worst case of a table is the one with the longest tail, or the most energy, in the mean
of the replays.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.experiment.tuning_objective import TuningObjective
from tailc.forms.ladder.table import Ladder
from tailc.means import mean_and_half
from tailc.percentiles import PPM
from tailc.tuning.criteria import measure_of
from tailc.tuning.scaled_table import ScaledTable
from tailc.tuning.tuning_sample import Measurements, TuningSample
from tailc.tuning.validation import energy_in_artifact_units


@dataclass(frozen=True)
class Tail:
    """A tail in the mean of replays, and the interval of that mean.

    overloaded: whether some replay was given up, so that these are no measure; see `Measurements`.
    """

    us: int
    low_us: int
    high_us: int
    overloaded: bool = False


@dataclass(frozen=True)
class Change:
    """A relative change in the mean of replays, and its interval."""

    ppm: int
    low_ppm: int
    high_ppm: int


@dataclass(frozen=True)
class Drawn:
    """Energy of a request as measured and in the case, number `case`, where that is most.

    In millionths of the unit of power times microseconds.
    """

    nominal: int
    most: int
    case: int


@dataclass(frozen=True)
class Stand:
    """A table's tail at a rate as measured, and in its worst case, whose number is `case`.

    drawn: None where rungs are no cores.
    """

    nominal: Tail
    worst: Tail
    case: int
    drawn: Drawn | None = None


@dataclass(frozen=True)
class RateStands:
    """At one rate: three tables, and what robustness costs and gains.

    price: of what is made small under the robust table as measured, relative to the plain one;
    gain: of the tail in the worst case; each None where one of the two is overloaded there.
    """

    rate_mrps: int
    formula: Stand
    plain: Stand
    robust: Stand
    price: Change | None
    gain: Change | None


@dataclass(frozen=True)
class Compared:
    """By rate; and whether the robust table is better than the formula's in the worst case, beyond
    chance, and at no rate shown to be worse, as measured or in the worst case.

    keeps_tail: whether a tail that is to be kept surely is in every case; where not, the robust
    table is not better. The formula's is the one with `formula_part_ppm` of its ages, which keeps
    it: None where none does. only_keeps: as of `Judged`. beats_plain: whether the robust table is
    better than the plain one in the worst case beyond chance, or a tail is to be kept in every
    case, which the plain one need not.
    """

    rates: tuple[RateStands, ...]
    is_better: bool
    formula_part_ppm: int | None = PPM
    keeps_tail: bool = True
    only_keeps: bool = False
    beats_plain: bool = True


def compare_robust(
    formula: ScaledTable[Ladder],
    plain: Ladder,
    robust: ScaledTable[Ladder],
    trials: TuningSample[Ladder],
    aim: TuningObjective,
) -> Compared:
    """The three on the trials, whose scenes are cases of all rates, what was measured first."""
    seen = trials.measure([formula.table, plain, robust.table])
    tails_us = _by_case(seen.tail_us, aim)
    amounts = _by_case(measure_of(aim).amounts(seen), aim)
    overloaded = _overloaded(seen, aim)
    energies = None if seen.energy is None else _by_case(seen.energy, aim)
    rates = tuple(
        _at_rate(
            rate_mrps,
            tails_us[:, :, number],
            overloaded[:, :, number],
            amounts[:, :, number],
            None if energies is None else energies[:, :, number],
        )
        for number, rate_mrps in enumerate(aim.rates_mrps)
    )
    limit_us = aim.limit_us
    missed = limit_us is not None and any(one.robust.worst.low_us > limit_us for one in rates)
    keeps_tail = robust.part_ppm is not None and not missed
    less, worse = _is_less(amounts[[0, 2]], aim.weights)
    beats_plain = limit_us is not None or _is_less_at_worst(amounts[[1, 2]], aim.weights)
    is_excused = formula.part_ppm is None or not (formula.was_kept or worse)
    is_better = keeps_tail and (less or is_excused)
    only_keeps = is_excused and not less and formula.part_ppm is not None
    return Compared(rates, is_better, formula.part_ppm, keeps_tail, only_keeps, beats_plain)


def _by_case(values: NDArray, aim: TuningObjective) -> NDArray:
    """From (tables, scenes, repeats) to (tables, cases, rates, repeats)."""
    return values.reshape(len(values), -1, len(aim.rates_mrps), values.shape[-1])


def _overloaded(seen: Measurements, aim: TuningObjective) -> NDArray[np.bool_]:
    """Bool (tables, cases, rates)."""
    tables, scenes, _ = seen.tail_us.shape
    told = [[seen.is_overloaded(table, at) for at in range(scenes)] for table in range(tables)]
    return np.array(told).reshape(tables, -1, len(aim.rates_mrps))


def _at_rate(
    rate_mrps: int,
    tails_us: NDArray[np.int64],
    overloaded: NDArray[np.bool_],
    amounts: NDArray[np.float64],
    energies: NDArray[np.float64] | None,
) -> RateStands:
    """Each (tables, cases, repeats), but overloaded: (tables, cases)."""
    drawn = [None] * len(tails_us) if energies is None else [_drawn(one) for one in energies]
    stands = [_stand(*told) for told in zip(tails_us, overloaded, drawn, strict=True)]
    plain, robust = stands[1:]
    price = gain = None
    if not (plain.nominal.overloaded or robust.nominal.overloaded):
        price = _change(amounts[2, 0], amounts[1, 0])
    if not (plain.worst.overloaded or robust.worst.overloaded):
        gain = _change(tails_us[2, robust.case], tails_us[1, plain.case])
    return RateStands(rate_mrps, *stands, price=price, gain=gain)


def _stand(
    tails_us: NDArray[np.int64], overloaded: NDArray[np.bool_], drawn: Drawn | None
) -> Stand:
    case = _worst(tails_us)
    nominal, worst = (_tail(tails_us[one], bool(overloaded[one])) for one in (0, case))
    return Stand(nominal, worst, case, drawn)


def _drawn(energies: NDArray[np.float64]) -> Drawn:
    case = _worst(energies)
    nominal, most = (energy_in_artifact_units(float(energies[one].mean())) for one in (0, case))
    return Drawn(nominal, most, case)


def _worst(values: NDArray) -> int:
    """The first with the largest mean, of (cases, repeats)."""
    return int(np.argmax(values.mean(axis=1)))


def _is_less(by_case: NDArray[np.float64], weights: Sequence[int]) -> tuple[bool, bool]:
    """Whether the second is less as a whole, and whether it is more somewhere; both beyond chance.

    by_case: (two tables, cases, rates, repeats).
    """
    nominal = [_relative(by_case[1, 0, one], by_case[0, 0, one]) for one in range(len(weights))]
    is_worse = any(_limits(one)[1] > 0 for one in (*nominal, *_at_worst(by_case)))
    return _is_less_at_worst(by_case, weights) and not is_worse, is_worse


def _is_less_at_worst(by_case: NDArray[np.float64], weights: Sequence[int]) -> bool:
    """Whether the second of two is less in the worst cases, in the weighted mean beyond chance."""
    share = np.array(weights) / sum(weights)
    whole = (np.array(_at_worst(by_case)) * share[:, None]).sum(axis=0)
    return _limits(whole)[2] < 0


def _at_worst(by_case: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """The change from the first of two to the second, by rate, each in the worst of its cases."""
    pairs = np.moveaxis(by_case, 2, 0)
    return [_relative(two[_worst(two)], one[_worst(one)]) for one, two in pairs]


def _relative(values: NDArray, to: NDArray) -> NDArray[np.float64]:
    return values / np.maximum(to, 1) - 1.0


def _change(values: NDArray, to: NDArray) -> Change:
    mean, low, high = (PPM * one for one in _limits(_relative(values, to)))
    return Change(round(mean), math.floor(low), math.ceil(high))


def _tail(tails_us: NDArray[np.int64], overloaded: bool) -> Tail:
    mean, low, high = _limits(tails_us.astype(np.float64))
    return Tail(round(mean), math.floor(low), math.ceil(high), overloaded)


def _limits(values: NDArray[np.float64]) -> tuple[float, float, float]:
    mean, half = mean_and_half(values.tolist())
    assert half is not None
    return mean, mean - half, mean + half
