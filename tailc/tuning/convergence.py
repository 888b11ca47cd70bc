"""Checks of a running search: the value it has reached, and whether it still improves.

A check replays the mean of the search's current tables on requests that the search does not use, so
its interval is not biased by the selection of the table. All checks of a stage use the same
replays, so differences of checks vary less than single checks. Intervals are Student's at 95 %,
from the jackknife over replays (Tukey 1958), since a value is not a mean of values of single
replays.
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
    """Result of one check of a search's convergence: relative value of the search's table.

    values: value relative to the formula's table, of all replays together, and without each of
    them, for a jackknife; float64 (1 + replays,). The formula's table is the one computed without
    simulation.
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
    """Checks whether a search for tables has converged, on replays that the search does not use.

    Values are relative to the table `base`, which was computed without simulation.
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
        """Replay a table on held-out requests; return its value relative to the table `base`."""
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
