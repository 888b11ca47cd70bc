"""Looks at a search as it goes: how good it is by now, and whether it still gets anywhere.

They replay the middle of what the search tries, on requests that it does not see, so that their
intervals tell of what is found and not of the luck that it was found by. All looks of a stage are
at the same replays: two of them differ by less than either varies. Intervals are Student's at 95 %,
of the jackknife over replays (Tukey 1958), for a value is not the mean of those of single replays.
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

# A search that becomes better by less than such a part from one look to a later one has settled.
_WORTH = 0.003


@dataclass(frozen=True, eq=False)
class ConvergenceCheck:
    """What a criterion makes small, over the formula's.

    values: float64 (1 + replays,), of all replays together, and without each of them.
    """

    values: NDArray[np.float64]

    @property
    def value(self) -> float:
        """Of all replays together."""
        return float(self.values[0])

    def told(self) -> str:
        """With its interval."""
        low, high = _interval(self.values)
        return f"{self.value:.1%} ({low:.1%} .. {high:.1%})"

    def has_settled_since(self, before: ConvergenceCheck) -> bool:
        """Whether it is not so much better that going on is worth while, at 97.5 %."""
        return _interval(self.values / before.values - 1.0)[0] > -_WORTH


class ConvergenceChecks(Generic[Form]):
    """At tables, on the replays of some trials, each beside what `base` shows there."""

    def __init__(
        self,
        trials: TuningSample[Form],
        base: Measurements,
        aspect: CriterionMeasure,
        aim: TuningObjective,
    ) -> None:
        self._trials = trials
        self._base = base
        self._aspect = aspect
        self._aim = aim

    @property
    def requests(self) -> int:
        """Simulated for each."""
        return self._trials.requests

    def at(self, table: Form) -> ConvergenceCheck:
        """What a table shows."""
        seen, replays = self._trials.measure([table]), range(self._base.tail_us.shape[-1])
        parts = [(seen, self._base)]
        parts += [(seen.without(one), self._base.without(one)) for one in replays]
        return ConvergenceCheck(
            np.concatenate([self._aspect.values(*part, self._aim) for part in parts])
        )


def _interval(values: NDArray[np.float64]) -> tuple[float, float]:
    """Of the value of all replays, from that and those without each."""
    replays = len(values) - 1
    return mean_interval(replays * values[0] - (replays - 1) * values[1:])
