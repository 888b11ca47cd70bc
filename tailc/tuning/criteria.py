"""How replays of a table become the number that a table search minimises, for each criterion.

The number is relative to the formula's table, which is computed without simulation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.experiment.tuning_objective import Criterion, TuningObjective
from tailc.tuning.tuning_sample import Measurements
from tailc.units import format_mrps

# Weight of an excess over the formula's table at a rate.
_WORSE = 5.0
# Weight of the relative excess of a tail over its target, in energies of the formula's table: far
# more than the energy that an excess could save.
_MISSED = 20.0
# A tail up to this multiple of the target may exceed it by chance.
_NEARLY = 1.02
# Margin below the latency of a further objective, for requests that the search does not see.
_SPARE = 0.03


@dataclass(frozen=True)
class CriterionMeasure:
    """A criterion of tuning: how replays of a table become the number that the search minimises.

    is_limited: whether a table that exceeds its latency limit gets a large penalty.
    progress_text(value, aim): the progress of a search in words. amounts(measured): float64
    (tables, points, repeats), the amount to minimise. values(measured, base, aim): float64
    (tables,), the value that a search minimises; `base` has the measurements of the table that was
    computed without simulation.
    """

    is_limited: bool
    progress_text: Callable[[str, TuningObjective], str]
    amounts: Callable[[Measurements], NDArray[np.float64]]
    values: Callable[[Measurements, Measurements, TuningObjective], NDArray[np.float64]]


def measure_of(aim: TuningObjective) -> CriterionMeasure:
    """Look up the measure that belongs to the criterion of `aim`."""
    return _MEASURES[aim.criterion]


def relative_tails(
    tails_us: NDArray[np.float64], base_us: NDArray[np.float64], weights: Sequence[int]
) -> NDArray[np.float64]:
    """Weighted mean over rates of a table's longest tail in any case, relative to another table.

    A case is a variant of demand. tails_us: tails of some tables, (tables, cases * rates), all
    rates of a case together. base_us: tails of the other table, (1, cases * rates). A rate and case
    in which a table is worse than the other table has a larger weight.
    """
    by_case = tails_us.reshape(len(tails_us), -1, len(weights))
    formula = base_us.reshape(1, -1, len(weights))
    longest = by_case.max(axis=1) / formula.max(axis=1)
    worse = _WORSE * np.maximum((by_case / formula).max(axis=1) - 1.0, 0.0)
    return _weight(longest + worse, weights)


def best_by_point(measured: Measurements, aim: TuningObjective) -> Measurements:
    """Combine the measurements of several tables to the best one at each operating point."""
    return measured.of_one(penalized_amounts(measured, aim).argmin(axis=0))


def penalized_amounts(measured: Measurements, aim: TuningObjective) -> NDArray[np.float64]:
    """Mean amount to minimise of each table at each operating point, (tables, points).

    An amount whose tail misses the limit counts as more than every amount whose tail does not.
    """
    amounts = measure_of(aim).amounts(measured).mean(axis=2)
    if aim.target_us is None:
        return amounts
    tail_us = measured.tail_us.mean(axis=2)
    missed = tail_us / np.resize(aim.targets_us, tail_us.shape[1]) - 1.0
    return np.where(missed > 0, amounts.max() * (1.0 + missed), amounts)


def _weight(values: NDArray[np.float64], weights: Sequence[int]) -> NDArray[np.float64]:
    share = np.array(weights) / sum(weights)
    return (values * share).sum(axis=-1)


def _by_objectives(measured: Measurements, aim: TuningObjective) -> NDArray[np.float64] | float:
    """Penalty for further objectives that are missed, or nearly missed."""
    if measured.closest is None:
        return 0.0
    closest = _by_case(measured.closest.mean(axis=2), aim).max(axis=1)
    return _weight(_MISSED * np.maximum(closest + _SPARE - 1.0, 0.0), aim.weights)


def _tail_us(measured: Measurements) -> NDArray[np.float64]:
    return measured.tail_us.astype(np.float64)


def _energy(measured: Measurements) -> NDArray[np.float64]:
    assert measured.energy is not None
    return measured.energy


def _tail_values(
    measured: Measurements, base: Measurements, aim: TuningObjective
) -> NDArray[np.float64]:
    tails = relative_tails(measured.tail_us.mean(axis=2), base.tail_us.mean(axis=2), aim.weights)
    return tails + _by_objectives(measured, aim)


def _energy_values(
    measured: Measurements, base: Measurements, aim: TuningObjective
) -> NDArray[np.float64]:
    """Weighted mean over rates of the most energy in any case, with penalties.

    A tail above the target has a large penalty. More energy than the formula's table has one, too,
    at rates where that table nearly meets the target; elsewhere its energy is not comparable.
    """
    target_us = np.array(aim.targets_us)
    energy, formula = (_by_case(_energy(one).mean(axis=2), aim) for one in (measured, base))
    tail_us, formula_us = (_by_case(one.tail_us.mean(axis=2), aim) for one in (measured, base))
    missed = np.maximum(tail_us.max(axis=1) / target_us - 1.0, 0.0)
    more = np.maximum(energy / formula - 1.0, 0.0)
    worse = _WORSE * np.where(formula_us <= _NEARLY * target_us, more, 0.0).max(axis=1)
    most = energy.max(axis=1) / formula.max(axis=1)
    of_energy = _weight(most + worse + _MISSED * missed, aim.weights)
    return of_energy + _by_objectives(measured, aim)


def _by_case(values: NDArray[np.float64], aim: TuningObjective) -> NDArray[np.float64]:
    """From (tables, cases * rates), all rates of a case together, to (tables, cases, rates)."""
    return values.reshape(len(values), -1, len(aim.weights))


def _rate_values(
    measured: Measurements,
    base: Measurements,  # noqa: ARG001 - the target does not depend on the formula
    aim: TuningObjective,
) -> NDArray[np.float64]:
    """The longest tail at any rate relative to the target: a short one allows a higher rate."""
    assert aim.target_us is not None
    return (measured.tail_us.mean(axis=2) / aim.target_us).max(axis=1)


def _by_formula(noun: str) -> Callable[[str, TuningObjective], str]:
    return lambda value, _aim: f"{noun} {value} of the formula's"


def _rate_text(value: str, aim: TuningObjective) -> str:
    return f"tail at {format_mrps(aim.rates_mrps[-1])} {value} of the SLO"


_MEASURES: Mapping[Criterion, CriterionMeasure] = {
    Criterion.TAIL: CriterionMeasure(False, _by_formula("tail"), _tail_us, _tail_values),
    Criterion.ENERGY: CriterionMeasure(True, _by_formula("energy"), _energy, _energy_values),
    Criterion.BATCH: CriterionMeasure(
        True, _by_formula("batch work given up"), _energy, _energy_values
    ),
    Criterion.RATE: CriterionMeasure(False, _rate_text, _tail_us, _rate_values),
}
