"""Checks of a running search: the value it has reached, and whether it still improves.

A check replays the mean of the search's current tables on requests that the search does not see, so
its interval describes the table and not the chance by which the search found it. All checks of a
stage use the same replays, so their differences vary less than each of them. Intervals are
Student's at 95 %, from the jackknife over replays (Tukey 1958), since a value is not a mean of
values of single replays.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic

import numpy as np
from numpy.typing import NDArray

from tailc.experiment.tuning_objective import TuningObjective
from tailc.tuning.criteria import CriterionMeasure
from tailc.tuning.tuning_sample import Form, Measurements, TuningSample
from tailc.tuning.validation import mean_interval

# A search has settled if its value improves by less than this fraction from one check to another.
_WORTH = 0.003


@dataclass(frozen=True, eq=False)
class ConvergenceCheck:
    """Result of one check of a search's convergence: value of a table relative to the formula's.

    values: float64 (1 + replays,): of all replays, and without each of them.
    """

    values: NDArray[np.float64]

    @property
    def value(self) -> float:
        """The value from all replays together."""
        return float(self.values[0])

    def text(self) -> str:
        """Format the value with its 95 % interval."""
        low, high = _interval(self.values)
        return f"{self.value:.1%} ({low:.1%} .. {high:.1%})"

    def has_settled_since(self, before: ConvergenceCheck) -> bool:
        """Whether the search improved too little since `before` to continue, at 97.5 %."""
        return _interval(self.values / before.values - 1.0)[0] > -_WORTH


class ConvergenceChecks(Generic[Form]):
    """Checks whether a search for tables has converged, on the replays of one sample.

    Values are relative to the formula's table `base`.
    """

    def __init__(
        self,
        sample: TuningSample[Form],
        base: Measurements,
        measure: CriterionMeasure,
        aim: TuningObjective,
    ) -> None:
        self._sample = sample
        self._base = base
        self._measure = measure
        self._aim = aim

    @property
    def requests(self) -> int:
        """Number of requests that one check simulates."""
        return self._sample.requests

    def check(self, table: Form) -> ConvergenceCheck:
        """Replay a table on held-out requests; return its value relative to the formula's table."""
        measured, replays = self._sample.measure([table]), range(self._base.tail_us.shape[-1])
        parts = [(measured, self._base)]
        parts += [(measured.without_repeat(one), self._base.without_repeat(one)) for one in replays]
        return ConvergenceCheck(
            np.concatenate([self._measure.values(*part, self._aim) for part in parts])
        )


def _interval(values: NDArray[np.float64]) -> tuple[float, float]:
    """Jackknife interval of the value over all replays, from it and those without each replay."""
    replays = len(values) - 1
    return mean_interval(replays * values[0] - (replays - 1) * values[1:])
