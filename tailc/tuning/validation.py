"""Whether a table is better than the formula's, on requests that it was not tuned on.

Both meet the same requests at the same times, so their differences are all that varies; an interval
of the mean change is Student's at 95 %. It tells the chance of arrivals and of their order; the
chance of which requests are there to judge is for `verify`.
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
    """Of a request under both tables, in millionths of the unit of power times microseconds; None
    of one that is overloaded.
    """

    formula: int | None
    tuned: int | None


@dataclass(frozen=True)
class RateGain:
    """The tail at a rate under the formula's table and under the tuned one, in the mean of replays.

    change_ppm: of what is made small, of the tuned one relative to the formula's, replay by replay,
    in the mean; low_ppm, high_ppm: its interval. clairvoyant_us: what a schedule reaches that knows
    all sizes, in the mean of the same replays; None where no such schedule is known. misses:
    whether the tuned one's tail is longer than what is to be kept, beyond chance.
    formula_overloaded, tuned_overloaded: whether some replay of it was given up, so that its tail
    and the change are no measure; see `Measurements`.
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
        """Whether one of the two is, so that the change is no measure."""
        return self.formula_overloaded or self.tuned_overloaded

    @property
    def closed(self) -> float | None:
        """Part of the way to the clairvoyant schedule that the tuned table goes; None: no way."""
        if self.clairvoyant_us is None or self.is_overloaded:
            return None
        way_us = self.formula_us - self.clairvoyant_us
        return (self.formula_us - self.tuned_us) / way_us if way_us > 0 else None

    @property
    def is_worse(self) -> bool:
        """Whether that is more than chance."""
        return self.low_ppm > 0


@dataclass(frozen=True)
class ValidatedTable(Generic[Form]):
    """A table's gains at each rate, and whether it is better as a whole beyond chance.

    formula_part_ppm: what is left of the ages of the formula's table that it is compared with, so
    that it keeps its tail; None where no part would. keeps_objectives: whether all that must hold
    besides does at every rate. keeps_tail: whether a tail that is to be kept surely is. only_keeps:
    whether that alone makes the table better: what is made small is no less than with the formula's
    so compared, which had to be cut back.
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
        """What of the table is scaled until it keeps its tail, for people."""
        return "ages" if isinstance(self.table, Ladder) else "bound"


def rank_tables(
    tables: Sequence[Form], formula: Form, trials: TuningSample[Form], aim: TuningObjective
) -> list[Form]:
    """The tables, the most promising first."""
    values = measure_of(aim).values(trials.measure(tables), trials.measure([formula]), aim)
    return [tables[at] for at in np.argsort(values, kind="stable")]


def validate_table(
    tuned: ScaledTable[Form],
    formula: ScaledTable[Form],
    trials: TuningSample[Form],
    clairvoyant_us: Sequence[int] | None,
    aim: TuningObjective,
) -> ValidatedTable[Form]:
    """The table against the formula's: better in the weighted mean, and nowhere worse.

    Where a tail is to be kept, a table that does not surely keep it with any part of its ages, or
    misses it at some rate, is no better than any. One that does keep it is better than a formula's
    that no part of its ages keeps, and than one that had to be cut back if it is nowhere worse than
    what is left of that. Where only one of the two keeps the objectives besides, that one is the
    better.
    """
    seen = trials.measure([formula.table, tuned.table])
    changes = _changes(*measure_of(aim).amounts(seen))
    reached = clairvoyant_us or [None] * len(aim.rates_mrps)
    gains = tuple(
        _gain(rate_mrps, seen, at, changes[at], reached[at], aim.limit_us)
        for at, rate_mrps in enumerate(aim.rates_mrps)
    )
    share = np.array(aim.weights) / sum(aim.weights)
    _, high = mean_interval((changes * share[:, None]).sum(axis=0))
    is_worse = any(gain.is_worse for gain in gains)
    is_less = high < 0 and not is_worse
    is_excused = formula.part_ppm is None or not (formula.was_kept or is_worse)
    keeps_tail = tuned.part_ppm is not None and not any(gain.misses for gain in gains)
    formula_keeps, keeps = (seen.keeps_objectives(at) for at in range(2))
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
    seen: Measurements,
    at: int,
    changes: NDArray[np.float64],
    clairvoyant_us: int | None,
    limit_us: int | None,
) -> RateGain:
    """At the scene number `at`; `seen` is of both tables."""
    low, high = mean_interval(changes)
    least_us, _ = mean_interval(seen.tail_us[1, at])
    formula_us, tuned_us = seen.tail_us[:, at].mean(axis=1).tolist()
    overloaded = [seen.is_overloaded(table, at) for table in range(2)]
    energy = None
    if seen.energy is not None:
        means = zip(seen.energy[:, at].mean(axis=1).tolist(), overloaded, strict=True)
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
    """In millionths of the unit of power times microseconds, from the unit times nanoseconds."""
    return round(power_ns * PPM / NS_PER_US)


def mean_interval(changes: NDArray[np.float64]) -> tuple[float, float]:
    """Of the mean, at 95 %."""
    mean, half = mean_and_half(changes.tolist())
    assert half is not None
    return mean - half, mean + half
