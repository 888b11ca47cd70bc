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

from tailc.percentiles import PPM
from tailc.pipeline.queue.goals import aspect_of
from tailc.pipeline.queue.trials import Form, Trials
from tailc.replay.queue_aim import QueueAim
from tailc.verify.repeats import mean_and_half


@dataclass(frozen=True)
class RateGain:
    """The tail at a rate under the formula's table and under the tuned one, in the mean of replays.

    change_ppm: of the tuned one relative to the formula's, replay by replay, in the mean; low_ppm,
    high_ppm: its interval. clairvoyant_us: what a schedule reaches that knows all sizes, on a few
    of the replays.
    """

    rate_mrps: int
    formula_us: int
    tuned_us: int
    change_ppm: int
    low_ppm: int
    high_ppm: int
    clairvoyant_us: int

    @property
    def closed(self) -> float | None:
        """Part of the way to the clairvoyant schedule that the tuned table goes; None: no way."""
        way_us = self.formula_us - self.clairvoyant_us
        return (self.formula_us - self.tuned_us) / way_us if way_us > 0 else None

    @property
    def is_worse(self) -> bool:
        """Whether that is more than chance."""
        return self.low_ppm > 0


@dataclass(frozen=True)
class Judged(Generic[Form]):
    """A table's gains at each rate, and whether it is better as a whole beyond chance."""

    table: Form
    gains: tuple[RateGain, ...]
    is_better: bool


def ranked(
    tables: Sequence[Form], formula: Form, trials: Trials[Form], aim: QueueAim
) -> list[Form]:
    """The tables, the most promising first."""
    values = aspect_of(aim).values(trials.seen(tables), trials.seen([formula]), aim)
    return [tables[at] for at in np.argsort(values, kind="stable")]


def judged(
    table: Form,
    formula: Form,
    trials: Trials[Form],
    clairvoyant_us: Sequence[int],
    aim: QueueAim,
) -> Judged[Form]:
    """The table against the formula's: better in the weighted mean, and nowhere worse."""
    formula_us, tuned_us = trials.tails_us([formula, table])
    parts = zip(aim.rates_mrps, formula_us, tuned_us, clairvoyant_us, strict=True)
    gains = tuple(_gain(*part) for part in parts)
    share = np.array(aim.weights) / sum(aim.weights)
    changes = (_changes(formula_us, tuned_us) * share[:, None]).sum(axis=0)
    _, high = _interval(changes)
    return Judged(table, gains, high < 0 and not any(gain.is_worse for gain in gains))


def _changes(formula_us: NDArray[np.int64], tuned_us: NDArray[np.int64]) -> NDArray[np.float64]:
    return tuned_us / np.maximum(formula_us, 1) - 1.0


def _gain(
    rate_mrps: int,
    formula_us: NDArray[np.int64],
    tuned_us: NDArray[np.int64],
    clairvoyant_us: int,
) -> RateGain:
    changes = _changes(formula_us, tuned_us)
    low, high = _interval(changes)
    return RateGain(
        rate_mrps,
        round(float(formula_us.mean())),
        round(float(tuned_us.mean())),
        round(PPM * float(changes.mean())),
        math.floor(PPM * low),
        math.ceil(PPM * high),
        clairvoyant_us,
    )


def _interval(changes: NDArray[np.float64]) -> tuple[float, float]:
    """Of the mean, at 95 %."""
    mean, half = mean_and_half(changes.tolist())
    assert half is not None
    return mean - half, mean + half
