"""Decide whether a table is better than the formula's, on requests that did not tune it.

The formula's table is computed without simulation. Both tables get the same requests at the same
times, so the change is taken replay by replay, with Student's interval of its mean at 95 %. The
interval includes the randomness of arrivals and of their order; `verify` includes that of the
sample of requests.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic

import numpy as np
from numpy.typing import NDArray

from tailc.experiment.tuning_objective import TuningObjective
from tailc.forms.ladder.table import Ladder
from tailc.means import mean_and_half
from tailc.models.outcome import NS_PER_US
from tailc.percentiles import PPM
from tailc.tuning.criteria import measure_of
from tailc.tuning.scaled_table import ScaledTable
from tailc.tuning.tuning_sample import Form, Measurements, TuningSample


@dataclass(frozen=True)
class EnergyPair:
    """Energy per request with the formula's table, computed without simulation, and the tuned one.

    In 1e-6 of the unit of power times us. None for a table that is overloaded.
    """

    formula: int | None
    tuned: int | None


@dataclass(frozen=True)
class RateGain:
    """Mean latency percentiles at one rate with two tables, the formula's and the tuned one.

    The formula's table is computed without simulation. change_ppm: mean over replays of the
    relative change of the amount to minimise; low_ppm, high_ppm: its interval. clairvoyant_us: mean
    percentile in the same replays of a schedule that knows all sizes; None if none is known.
    misses: whether the percentile of the tuned table exceeds the limit beyond chance.
    formula_overloaded, tuned_overloaded: whether a replay of the table was aborted, so that its
    percentile and the change are not valid; see `Measurements`.
    """

    rate_mrps: int
    formula_us: int
    tuned_us: int
    change_ppm: int
    low_ppm: int
    high_ppm: int
    clairvoyant_us: int | None = None
    energy: EnergyPair | None = None
    misses: bool = False
    formula_overloaded: bool = False
    tuned_overloaded: bool = False

    @property
    def is_overloaded(self) -> bool:
        """Whether one of the tables is overloaded, so that the change is not valid."""
        return self.formula_overloaded or self.tuned_overloaded

    @property
    def closed_gap(self) -> float | None:
        """Part of the gap from the formula's table to a clairvoyant schedule that tuning closes.

        1 for all of it; None if there is no gap.
        """
        if self.clairvoyant_us is None or self.is_overloaded:
            return None
        way_us = self.formula_us - self.clairvoyant_us
        return (self.formula_us - self.tuned_us) / way_us if way_us > 0 else None

    @property
    def is_worse(self) -> bool:
        """Whether the tuned table is significantly worse than the formula's at this rate."""
        return self.low_ppm > 0


@dataclass(frozen=True)
class ValidatedTable(Generic[Form]):
    """A tuned table, compared with the formula's, which is computed without simulation.

    Better means beyond chance.

    Attributes:
        gains: change at each rate.
        is_better: whether the table is better.
        formula_part_ppm: factor that scales the ages of the formula's table so that it meets the
            latency limit [1e-6]; None if none does.
        keeps_objectives: whether the table meets the further objectives at every rate.
        keeps_tail: whether it meets the limit beyond chance.
        only_keeps: whether it is better only because it meets the limit; the amount to minimise is
            no smaller than that of the scaled formula's table.
    """

    table: Form
    gains: tuple[RateGain, ...]
    is_better: bool
    formula_part_ppm: int | None = PPM
    keeps_objectives: bool = True
    keeps_tail: bool = True
    only_keeps: bool = False

    @property
    def scaled(self) -> str:
        """Name of the quantity that is scaled to meet the limit: the ages or the bound."""
        return "ages" if isinstance(self.table, Ladder) else "bound"


def rank_tables(
    tables: Sequence[Form], formula: Form, sample: TuningSample[Form], aim: TuningObjective
) -> list[Form]:
    """Order tables by the value that a search minimises, the best first.

    formula: the table computed without simulation, to which values are relative.
    """
    values = measure_of(aim).values(sample.measure(tables), sample.measure([formula]), aim)
    return [tables[at] for at in np.argsort(values, kind="stable")]


def validate_table(
    tuned: ScaledTable[Form],
    formula: ScaledTable[Form],
    sample: TuningSample[Form],
    clairvoyant_us: Sequence[int] | None,
    aim: TuningObjective,
) -> ValidatedTable[Form]:
    """Compare a table with the formula's: it must be better in the weighted mean, nowhere worse.

    With a limit, a table that misses it at some rate, or that no factor scales to it, is not
    better. A table that keeps the limit is better than a formula's table that no factor scales to
    it. It is also better than a formula's table that had to be scaled, if it is at no rate worse
    than the scaled one. If only one of the two meets the further objectives, that one is better.
    """
    measured = sample.measure([formula.table, tuned.table])
    changes = _changes(*measure_of(aim).amounts(measured))
    reached = clairvoyant_us or [None] * len(aim.rates_mrps)
    gains = tuple(
        _gain(rate_mrps, measured, at, changes[at], reached[at], aim.limit_us)
        for at, rate_mrps in enumerate(aim.rates_mrps)
    )
    share = np.array(aim.weights) / sum(aim.weights)
    _, high = mean_interval((changes * share[:, None]).sum(axis=0))
    is_worse = any(gain.is_worse for gain in gains)
    is_less = high < 0 and not is_worse
    is_excused = formula.part_ppm is None or not (formula.was_kept or is_worse)
    keeps_tail = tuned.part_ppm is not None and not any(gain.misses for gain in gains)
    formula_keeps, keeps = (measured.keeps_objectives(at) for at in range(2))
    are_alike = keeps == formula_keeps
    is_better = is_less or is_excused if are_alike else keeps
    return ValidatedTable(
        tuned.table,
        gains,
        keeps_tail and is_better,
        formula.part_ppm,
        keeps,
        keeps_tail,
        only_keeps=are_alike and is_excused and not is_less and formula.part_ppm is not None,
    )


def _changes(formula: NDArray[np.float64], tuned: NDArray[np.float64]) -> NDArray[np.float64]:
    return tuned / np.maximum(formula, 1) - 1.0


def _gain(
    rate_mrps: int,
    measured: Measurements,
    at: int,
    changes: NDArray[np.float64],
    clairvoyant_us: int | None,
    limit_us: int | None,
) -> RateGain:
    """The gain at operating point number `at`; `measured` is of both tables."""
    low, high = mean_interval(changes)
    least_us, _ = mean_interval(measured.tail_us[1, at])
    formula_us, tuned_us = measured.tail_us[:, at].mean(axis=1).tolist()
    overloaded = [measured.is_overloaded(table, at) for table in range(2)]
    energy = None
    if measured.energy is not None:
        means = zip(measured.energy[:, at].mean(axis=1).tolist(), overloaded, strict=True)
        energy = EnergyPair(
            *(None if is_lost else energy_in_artifact_units(mean) for mean, is_lost in means)
        )
    return RateGain(
        rate_mrps,
        round(formula_us),
        round(tuned_us),
        round(PPM * float(changes.mean())),
        math.floor(PPM * low),
        math.ceil(PPM * high),
        clairvoyant_us,
        energy,
        misses=limit_us is not None and least_us > limit_us,
        formula_overloaded=overloaded[0],
        tuned_overloaded=overloaded[1],
    )


def energy_in_artifact_units(power_ns: float) -> int:
    """Convert an energy from the unit of power times ns to 1e-6 of that unit times us."""
    return round(power_ns * PPM / NS_PER_US)


def mean_interval(changes: NDArray[np.float64]) -> tuple[float, float]:
    """95 % confidence interval of the mean, by Student's t."""
    mean, half = mean_and_half(changes.tolist())
    assert half is not None
    return mean - half, mean + half
