"""The highest rate at which a tuned table meets a percentile, compared with the formula's table.

The formula's table is computed without simulation. In each replay each table has a highest rate, on
the same requests. Intervals are Student's at 95 %, of the mean rate and of the mean change from one
table to the other.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.experiment.tuning_objective import TuningObjective
from tailc.percentiles import PPM
from tailc.tuning.validation import mean_interval

# A rate that is stated as kept is rounded down to this number of digits.
_DIGITS = 3


@dataclass(frozen=True)
class HighestRate:
    """A table's highest rate, as a mean over replays with its interval [thousandths of 1/s].

    is_open: whether some replay meets the percentile's limit even at the highest rate of the range,
    so that the mean might be higher.
    """

    rate_mrps: int
    low_mrps: int
    high_mrps: int
    is_open: bool

    @property
    def promised_mrps(self) -> int:
        """Rate for which the policy is made: the interval's lower end, rounded to three digits."""
        step = 10 ** max(len(str(self.low_mrps)) - _DIGITS, 0)
        return self.low_mrps // step * step


@dataclass(frozen=True)
class RateChange:
    """Relative change of the highest rate between two tables: mean over replays, and interval."""

    ppm: int
    low_ppm: int
    high_ppm: int


@dataclass(frozen=True)
class RateComparison:
    """The highest arrival rates that the formula's table and the tuned table can serve.

    formula, tuned: None if the table misses the percentile even at the lowest rate. change: from
    the formula's table to the tuned one; None if one of the rates is None. The formula's table is
    the one computed without simulation.
    """

    formula: HighestRate | None
    tuned: HighestRate | None
    change: RateChange | None

    def __post_init__(self) -> None:
        assert (self.change is None) == (self.formula is None or self.tuned is None)

    @property
    def is_better(self) -> bool:
        """Whether the tuned table has a significantly higher rate."""
        if self.change is None:
            return self.tuned is not None and self.formula is None
        return self.change.low_ppm > 0

    @property
    def is_worse(self) -> bool:
        """Whether the tuned table has a significantly lower rate."""
        if self.change is None:
            return self.formula is not None and self.tuned is None
        return self.change.high_ppm < 0


def compare_rates(
    theirs: NDArray[np.int64], ours: NDArray[np.int64], aim: TuningObjective
) -> RateComparison:
    """Compare the highest rates of two tables on the same replays, int64 (repeats,) each."""
    formula, tuned = highest_rate(theirs, aim), highest_rate(ours, aim)
    if formula is None or tuned is None:
        return RateComparison(formula, tuned, None)
    changes = ours / theirs - 1.0
    low, high = mean_interval(changes)
    ppm = round(PPM * float(changes.mean()))
    change = RateChange(ppm, math.floor(PPM * low), math.ceil(PPM * high))
    return RateComparison(formula, tuned, change)


def highest_rate(rates_mrps: NDArray[np.int64], aim: TuningObjective) -> HighestRate | None:
    """Average the highest rates that a table serves in replays, int64 (repeats,).

    None if it misses the percentile at the lowest rate in a replay.
    """
    if not rates_mrps.all():
        return None
    lowest_mrps, highest_mrps = aim.rates_mrps
    low, high = mean_interval(rates_mrps.astype(np.float64))
    return HighestRate(
        round(float(rates_mrps.mean())),
        max(math.floor(low), lowest_mrps),
        min(math.ceil(high), highest_mrps),
        bool((rates_mrps == highest_mrps).any()),
    )
