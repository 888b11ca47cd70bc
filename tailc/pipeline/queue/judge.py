"""Whether a table is better than the formula's, on requests that it was not tuned on.

Both meet the same requests at the same times, so their differences are all that varies; an interval
of the mean difference is Student's at 95 %.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.forms.ladder.table import Ladder
from tailc.pipeline.queue.search import merit
from tailc.pipeline.queue.trials import Trials
from tailc.replay.clairvoyant.server import shared_server
from tailc.verify.order_statistics import student_t_95


@dataclass(frozen=True)
class RateGain:
    """The tail at a rate under the formula's table and under the tuned one, in the mean of replays.

    low_us, high_us: interval of the tuned one's, relative to the formula's. clairvoyant_us: what a
    schedule reaches that knows all sizes.
    """

    rate_mrps: int
    formula_us: int
    tuned_us: int
    low_us: int
    high_us: int
    clairvoyant_us: int

    @property
    def change_us(self) -> int:
        """Below 0 where the tuned one is better."""
        return self.tuned_us - self.formula_us

    @property
    def closed(self) -> float | None:
        """Part of the way to the clairvoyant schedule that the tuned table goes; None: no way."""
        way_us = self.formula_us - self.clairvoyant_us
        return -self.change_us / way_us if way_us > 0 else None

    @property
    def is_worse(self) -> bool:
        """Whether that is more than chance."""
        return self.low_us > 0


@dataclass(frozen=True)
class Judged:
    """A table's gains at each rate, and whether it is better as a whole beyond chance."""

    table: Ladder
    gains: tuple[RateGain, ...]
    is_better: bool


def ranked(tables: Sequence[Ladder], formula: Ladder, trials: Trials, weights: Sequence[int]):
    """The tables, the most promising first."""
    tails_us = trials.tails_us([formula, *tables]).mean(axis=2)
    values = merit(tails_us[1:] / tails_us[0], weights)
    return [tables[at] for at in np.argsort(values, kind="stable")]


def judged(
    table: Ladder,
    formula: Ladder,
    trials: Trials,
    rates_mrps: Sequence[int],
    weights: Sequence[int],
) -> Judged:
    """The table against the formula's: better in the weighted mean, and nowhere worse."""
    formula_us, tuned_us = trials.tails_us([formula, table])
    clairvoyant_us = trials.clairvoyant_us(shared_server(formula)).tolist()
    parts = zip(rates_mrps, formula_us, tuned_us, clairvoyant_us, strict=True)
    gains = tuple(_gain(*part) for part in parts)
    share = np.array(weights) / sum(weights)
    changes = ((tuned_us / formula_us - 1.0) * share[:, None]).sum(axis=0)
    _, high = _interval(changes)
    return Judged(table, gains, high < 0 and not any(gain.is_worse for gain in gains))


def _gain(
    rate_mrps: int,
    formula_us: NDArray[np.int64],
    tuned_us: NDArray[np.int64],
    clairvoyant_us: int,
) -> RateGain:
    low_us, high_us = _interval((tuned_us - formula_us).astype(np.float64))
    return RateGain(
        rate_mrps,
        round(float(formula_us.mean())),
        round(float(tuned_us.mean())),
        math.floor(low_us),
        math.ceil(high_us),
        clairvoyant_us,
    )


def _interval(changes: NDArray[np.float64]) -> tuple[float, float]:
    """Of the mean, at 95 %."""
    width = student_t_95(len(changes) - 1) * float(changes.std(ddof=1)) / math.sqrt(len(changes))
    mean = float(changes.mean())
    return mean - width, mean + width
