"""What a search makes small: by the criterion, relative to what the formula's table does."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.experiment.tuning_objective import Criterion, TuningObjective
from tailc.tuning.tuning_sample import Measurements
from tailc.units import format_mrps

# What a rate is worse than under the formula's table counts so many times more.
_WORSE = 5.0
# A tail above the target by a part of it counts as so many such parts of the formula's energy: far
# more than energy can be saved by that.
_MISSED = 20.0
# A tail that is no longer than so many times the target is above it by chance.
_NEARLY = 1.02
# Of the latency of another objective a search leaves so much, for requests that it does not see.
_SPARE = 0.03


@dataclass(frozen=True)
class CriterionMeasure:
    """What a criterion is about: its name for people, and what counts of trials.

    is_limited: whether a tail that is missed counts besides, and far more. told(value, aim): how
    far a search is, in words.
    amounts(seen): float64 (tables, scenes, repeats), to be made small. values(seen, base, aim):
    float64 (tables,), what a search makes small; `base` is of the formula's table alone.
    """

    is_limited: bool
    told: Callable[[str, TuningObjective], str]
    amounts: Callable[[Measurements], NDArray[np.float64]]
    values: Callable[[Measurements, Measurements, TuningObjective], NDArray[np.float64]]


def measure_of(aim: TuningObjective) -> CriterionMeasure:
    """Of the criterion."""
    return _ASPECTS[aim.criterion]


def relative_tails(
    tails_us: NDArray[np.float64], base_us: NDArray[np.float64], weights: Sequence[int]
) -> NDArray[np.float64]:
    """What is made small: by rate the longest tail over the formula's longest, weighted.

    tails_us: (tables, cases * rates), all rates of a case together; base_us: (1, cases * rates).
    What a table is worse than the formula's in any case counts more.
    """
    by_case = tails_us.reshape(len(tails_us), -1, len(weights))
    formula = base_us.reshape(1, -1, len(weights))
    longest = by_case.max(axis=1) / formula.max(axis=1)
    worse = _WORSE * np.maximum((by_case / formula).max(axis=1) - 1.0, 0.0)
    return _weighted(longest + worse, weights)


def best_by_point(seen: Measurements, aim: TuningObjective) -> Measurements:
    """As of one table, which in each scene is the best there."""
    return seen.of_one(penalized_amounts(seen, aim).argmin(axis=0))


def penalized_amounts(seen: Measurements, aim: TuningObjective) -> NDArray[np.float64]:
    """What is made small, (tables, scenes); a tail that is missed is worse than any that is not."""
    amounts = measure_of(aim).amounts(seen).mean(axis=2)
    if aim.target_us is None:
        return amounts
    tail_us = seen.tail_us.mean(axis=2)
    missed = tail_us / np.resize(aim.targets_us, tail_us.shape[1]) - 1.0
    return np.where(missed > 0, amounts.max() * (1.0 + missed), amounts)


def _weighted(values: NDArray[np.float64], weights: Sequence[int]) -> NDArray[np.float64]:
    share = np.array(weights) / sum(weights)
    return (values * share).sum(axis=-1)


def _by_objectives(seen: Measurements, aim: TuningObjective) -> NDArray[np.float64] | float:
    """What the objectives besides add where one of them is nearly missed."""
    if seen.closest is None:
        return 0.0
    closest = _by_case(seen.closest.mean(axis=2), aim).max(axis=1)
    return _weighted(_MISSED * np.maximum(closest + _SPARE - 1.0, 0.0), aim.weights)


def _tail_us(seen: Measurements) -> NDArray[np.float64]:
    return seen.tail_us.astype(np.float64)


def _energy(seen: Measurements) -> NDArray[np.float64]:
    assert seen.energy is not None
    return seen.energy


def _tail_values(
    seen: Measurements, base: Measurements, aim: TuningObjective
) -> NDArray[np.float64]:
    tails = relative_tails(seen.tail_us.mean(axis=2), base.tail_us.mean(axis=2), aim.weights)
    return tails + _by_objectives(seen, aim)


def _energy_values(
    seen: Measurements, base: Measurements, aim: TuningObjective
) -> NDArray[np.float64]:
    """By rate the most energy, and far more of it for the longest tail above the target.

    Where the formula's table nearly meets the target, more energy than under it counts as a longer
    tail does; where it does not, its energy is no measure.
    """
    target_us = np.array(aim.targets_us)
    energy, formula = (_by_case(_energy(one).mean(axis=2), aim) for one in (seen, base))
    tail_us, formula_us = (_by_case(one.tail_us.mean(axis=2), aim) for one in (seen, base))
    missed = np.maximum(tail_us.max(axis=1) / target_us - 1.0, 0.0)
    more = np.maximum(energy / formula - 1.0, 0.0)
    worse = _WORSE * np.where(formula_us <= _NEARLY * target_us, more, 0.0).max(axis=1)
    most = energy.max(axis=1) / formula.max(axis=1)
    of_energy = _weighted(most + worse + _MISSED * missed, aim.weights)
    return of_energy + _by_objectives(seen, aim)


def _by_case(values: NDArray[np.float64], aim: TuningObjective) -> NDArray[np.float64]:
    """From (tables, cases * rates), all rates of a case together, to (tables, cases, rates)."""
    return values.reshape(len(values), -1, len(aim.weights))


def _rate_values(
    seen: Measurements,
    base: Measurements,  # noqa: ARG001 - what is to be kept is no matter of the formula's
    aim: TuningObjective,
) -> NDArray[np.float64]:
    """The longest tail at any rate: where it is least, a table has most to spare for more."""
    assert aim.target_us is not None
    return (seen.tail_us.mean(axis=2) / aim.target_us).max(axis=1)


def _by_formula(noun: str) -> Callable[[str, TuningObjective], str]:
    return lambda value, _aim: f"{noun} {value} of the formula's"


def _rate_told(value: str, aim: TuningObjective) -> str:
    return f"tail at {format_mrps(aim.rates_mrps[-1])} {value} of what is to be kept"


_ASPECTS: Mapping[Criterion, CriterionMeasure] = {
    Criterion.TAIL: CriterionMeasure(False, _by_formula("tail"), _tail_us, _tail_values),
    Criterion.ENERGY: CriterionMeasure(True, _by_formula("energy"), _energy, _energy_values),
    Criterion.BATCH: CriterionMeasure(
        True, _by_formula("batch work given up"), _energy, _energy_values
    ),
    Criterion.RATE: CriterionMeasure(False, _rate_told, _tail_us, _rate_values),
}
