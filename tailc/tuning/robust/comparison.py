"""Compare tables as measured and in their worst case, on requests that no search used.

All tables get the same requests at the same times in every case, so changes from one table to
another are taken replay by replay. Intervals are Student's at 95 %, for the randomness of arrivals
and of their order. The worst case of a table is the one with its longest mean tail, or its highest
mean energy.
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
class MeanTail:
    """Mean latency percentile of replays, and the interval of that mean.

    overloaded: whether a replay was aborted, so that these are not valid; see `Measurements`.
    """

    us: int
    low_us: int
    high_us: int
    overloaded: bool = False


@dataclass(frozen=True)
class MeanChange:
    """Mean relative change of a latency percentile or cost over replays, and its interval."""

    ppm: int
    low_ppm: int
    high_ppm: int


@dataclass(frozen=True)
class CaseEnergies:
    """Energy per request as measured and in the worst case [1e-6 of power unit times us].

    case: number of the worst case.
    """

    nominal: int
    most: int
    case: int


@dataclass(frozen=True)
class NominalAndWorst:
    """Latency percentile of a table at one rate, for measured inputs and in its worst case.

    case: number of the worst case. drawn: energies for measured inputs and in the worst case; None
    if rungs have no power.
    """

    nominal: MeanTail
    worst: MeanTail
    case: int
    drawn: CaseEnergies | None = None


@dataclass(frozen=True)
class RobustRate:
    """Three tables at one rate: without simulation (formula), tuned (plain), and robust.

    price: change of the amount to minimise from the plain table to the robust one, as measured.
    gain: change of the tail in the worst case. None if one of the two tables is overloaded.
    """

    rate_mrps: int
    formula: NominalAndWorst
    plain: NominalAndWorst
    robust: NominalAndWorst
    price: MeanChange | None
    gain: MeanChange | None


@dataclass(frozen=True)
class RobustComparison:
    """Comparison of three tables: computed without simulation (formula), tuned (plain), and robust.

    Better and worse mean: beyond chance.

    Attributes:
        rates: the tables at each rate.
        is_better: whether the robust table is better than the formula's in the worst case, and at
            no rate worse, for measured inputs or in the worst case.
        formula_part_ppm: factor of the ages of the formula's table that meets the latency limit
            [1e-6]; None if none does.
        keeps_tail: whether the robust table meets the limit in every case; if not, it is not
            better.
        only_keeps: whether the robust table is better only because it meets the limit.
        beats_plain: whether the robust table is better than the plain one in the worst case, or
            there is a limit for every case, which the plain table need not meet.
    """

    rates: tuple[RobustRate, ...]
    is_better: bool
    formula_part_ppm: int | None = PPM
    keeps_tail: bool = True
    only_keeps: bool = False
    beats_plain: bool = True


def compare_robust(
    formula: ScaledTable[Ladder],
    plain: Ladder,
    robust: ScaledTable[Ladder],
    sample: TuningSample[Ladder],
    aim: TuningObjective,
) -> RobustComparison:
    """Compare three tables: computed without simulation (formula), tuned (plain), and robust.

    The sample has all rates of each case of the uncertainty set, the measured case first.
    """
    measured = sample.measure([formula.table, plain, robust.table])
    tails_us = _by_case(measured.tail_us, aim)
    amounts = _by_case(measure_of(aim).amounts(measured), aim)
    overloaded = _is_overloaded(measured, aim)
    energies = None if measured.energy is None else _by_case(measured.energy, aim)
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
    return RobustComparison(rates, is_better, formula.part_ppm, keeps_tail, only_keeps, beats_plain)


def _by_case(values: NDArray, aim: TuningObjective) -> NDArray:
    """Reshape (tables, points, repeats) to (tables, cases, rates, repeats)."""
    return values.reshape(len(values), -1, len(aim.rates_mrps), values.shape[-1])


def _is_overloaded(measured: Measurements, aim: TuningObjective) -> NDArray[np.bool_]:
    """Whether a replay was aborted, bool (tables, cases, rates)."""
    tables, points, _ = measured.tail_us.shape
    aborted = [
        [measured.is_overloaded(table, at) for at in range(points)] for table in range(tables)
    ]
    return np.array(aborted).reshape(tables, -1, len(aim.rates_mrps))


def _at_rate(
    rate_mrps: int,
    tails_us: NDArray[np.int64],
    overloaded: NDArray[np.bool_],
    amounts: NDArray[np.float64],
    energies: NDArray[np.float64] | None,
) -> RobustRate:
    """Arrays are (tables, cases, repeats); overloaded is (tables, cases)."""
    drawn = (
        [None] * len(tails_us)
        if energies is None
        else [_bootstrap_energies(one) for one in energies]
    )
    stands = [_stand(*parts) for parts in zip(tails_us, overloaded, drawn, strict=True)]
    plain, robust = stands[1:]
    price = gain = None
    if not (plain.nominal.overloaded or robust.nominal.overloaded):
        price = _change(amounts[2, 0], amounts[1, 0])
    if not (plain.worst.overloaded or robust.worst.overloaded):
        gain = _change(tails_us[2, robust.case], tails_us[1, plain.case])
    return RobustRate(rate_mrps, *stands, price=price, gain=gain)


def _stand(
    tails_us: NDArray[np.int64], overloaded: NDArray[np.bool_], drawn: CaseEnergies | None
) -> NominalAndWorst:
    case = _worst(tails_us)
    nominal, worst = (_tail(tails_us[one], bool(overloaded[one])) for one in (0, case))
    return NominalAndWorst(nominal, worst, case, drawn)


def _bootstrap_energies(energies: NDArray[np.float64]) -> CaseEnergies:
    case = _worst(energies)
    nominal, most = (energy_in_artifact_units(float(energies[one].mean())) for one in (0, case))
    return CaseEnergies(nominal, most, case)


def _worst(values: NDArray) -> int:
    """Number of the first case with the largest mean; `values` is (cases, repeats)."""
    return int(np.argmax(values.mean(axis=1)))


def _is_less(by_case: NDArray[np.float64], weights: Sequence[int]) -> tuple[bool, bool]:
    """Whether the second table is better overall, and whether it is worse at a rate; beyond chance.

    by_case: (two tables, cases, rates, repeats).
    """
    nominal = [_relative(by_case[1, 0, one], by_case[0, 0, one]) for one in range(len(weights))]
    is_worse = any(_limits(one)[1] > 0 for one in (*nominal, *_at_worst(by_case)))
    return _is_less_at_worst(by_case, weights) and not is_worse, is_worse


def _is_less_at_worst(by_case: NDArray[np.float64], weights: Sequence[int]) -> bool:
    """Whether the second table is better in the weighted mean of worst cases, beyond chance."""
    share = np.array(weights) / sum(weights)
    whole = (np.array(_at_worst(by_case)) * share[:, None]).sum(axis=0)
    return _limits(whole)[2] < 0


def _at_worst(by_case: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """Change by rate from the first table to the second, each in its worst case."""
    pairs = np.moveaxis(by_case, 2, 0)
    return [_relative(two[_worst(two)], one[_worst(one)]) for one, two in pairs]


def _relative(values: NDArray, to: NDArray) -> NDArray[np.float64]:
    return values / np.maximum(to, 1) - 1.0


def _change(values: NDArray, to: NDArray) -> MeanChange:
    mean, low, high = (PPM * one for one in _limits(_relative(values, to)))
    return MeanChange(round(mean), math.floor(low), math.ceil(high))


def _tail(tails_us: NDArray[np.int64], overloaded: bool) -> MeanTail:
    mean, low, high = _limits(tails_us.astype(np.float64))
    return MeanTail(round(mean), math.floor(low), math.ceil(high), overloaded)


def _limits(values: NDArray[np.float64]) -> tuple[float, float, float]:
    mean, half = mean_and_half(values.tolist())
    assert half is not None
    return mean, mean - half, mean + half
