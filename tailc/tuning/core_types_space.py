"""Search spaces of tables in which a request has its own core: ages of climbs by load.

A point has, for each rung above the first, the age of its climb at some loads, with linear
interpolation and extrapolation. Ages below 0 are 0. Ages need not increase with the load. A rung
whose age is above that of a higher rung is not in the table.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tailc.forms.ladder.table import AT_ONCE, Guard, Ladder, Row, Rule, collapse
from tailc.tuning.age_interpolation import NEVER, between, climbs_of, formula_ages, loads_at

# Least number of steps of ages in the latency target; energy is more sensitive to ages than tails.
_STEPS_IN_TARGET = 2_000
# Ages from this multiple of the latency target on mean that a request never climbs.
_NEVER_TARGETS = 2 * NEVER
# Largest load with its own row, in cores, and the fewest requests above the number of cores.
_LAST_LOAD_CORES, _FEWEST_BEYOND = 2.0, 4
_MOST_ROWS = 1_000
_KNOTS_CORES = (0.13, 0.27, 0.4, 0.53, 0.67, 0.8, 1.0, 1.27, 1.6)
_LINE_CORES = (1 / 3, 1.0)
# Parts of the formula's ages at little load, and at one request a core.
_STARTS = ((1.0, 1.0), (0.8, 0.8), (1.0, 0.4))
# Ages go with the load less than those of threads do.
_SPREAD = 0.5
STARTS = len(_STARTS)


@dataclass(frozen=True, eq=False)
class CoreTypesSpace:
    """The parameter space of ladders with the rungs and rules of `base`.

    Ages are relative to `target_us`. knots: float64 (knots,), loads, ascending. cores: number of
    cores of all types.
    """

    base: Ladder
    target_us: int
    cores: int
    knots: NDArray[np.float64]

    @property
    def step_us(self) -> int:
        """Grid step of ages [us]: 0.1 ms for targets of 200 ms to 2 s."""
        steps = max(self.target_us // _STEPS_IN_TARGET, 1)
        return 10 ** (len(str(steps)) - 1)

    @property
    def last_load(self) -> int:
        """The largest number of requests in the system for which a table has its own row."""
        beyond = max(round(_LAST_LOAD_CORES * self.cores), self.cores + _FEWEST_BEYOND)
        return max(beyond, self.base.guard.max_load)

    def table(self, point: NDArray[np.float64]) -> Ladder:
        """Make the ladder that a point of the parameter space describes."""
        step = -(-self.last_load // _MOST_ROWS)
        loads = np.arange(1, self.last_load + 1, step)
        ages = between(self._at_knots(point), self.knots, loads.astype(np.float64))
        ages_us = np.maximum(ages, 0.0) * self.target_us
        ages_us = np.minimum.accumulate(ages_us[::-1], axis=0)[::-1]
        ages_us = np.rint(ages_us / self.step_us).astype(np.int64) * self.step_us
        rows = [
            Row(load, load + step - 1, AT_ONCE, climbs_of(ages, _NEVER_TARGETS * self.target_us))
            for load, ages in zip(loads.tolist(), ages_us.T.tolist(), strict=True)
        ]
        rules = {*self.base.rules, Rule.REREAD_ROW}
        return replace(
            self.base,
            rows=collapse(rows),
            rules=tuple(sorted(rules, key=lambda rule: rule.value)),
            guard=Guard(1, self.last_load),
        )

    def starts(self) -> Iterator[NDArray[np.float64]]:
        """Initial points of a search for climb ages.

        They are the formula's ages, slightly earlier ones, and ages that fall with load.
        """
        ages = formula_ages(self.base, self.knots, self.target_us)
        for few, many in _STARTS:
            part = between(np.array([[few, many]]), self.knots[[0, -1]], self.knots)
            yield (np.minimum(ages, 1.0) * part if many < few else ages * part).ravel()

    def spread(self, age: float, load: float, narrower: float) -> NDArray[np.float64]:  # noqa: ARG002 - there is nothing but ages
        """Standard deviation of each parameter in the first generation of a search.

        See `SearchSpace.spread` for the arguments.
        """
        ages = age + load * self.knots / self.cores
        return _SPREAD * np.tile(ages, len(self.base.rungs) - 1)

    def finer(self) -> CoreTypesSpace:
        """The same parameter space with more parameters: ages are piecewise linear in the load."""
        return replace(self, knots=loads_at(_KNOTS_CORES, self.cores))

    def refine(self, point: NDArray[np.float64], fine: CoreTypesSpace) -> NDArray[np.float64]:
        """Convert a point of this space to the finer space `fine`; its table stays the same.

        Up to rounding.
        """
        return between(self._at_knots(point), self.knots, fine.knots).ravel()

    def next_to(self, table: Ladder) -> NDArray[np.float64]:
        """The point whose table is nearest to `table`, a ladder with the same rungs."""
        return formula_ages(table, self.knots, self.target_us, 2.0 * _NEVER_TARGETS).ravel()

    def _at_knots(self, point: NDArray[np.float64]) -> NDArray[np.float64]:
        return point.reshape(len(self.base.rungs) - 1, -1)


def core_types_space(base: Ladder, target_us: int, cores: int) -> CoreTypesSpace:
    """The coarse parameter space, in which each rung's age is a linear function of load."""
    return CoreTypesSpace(base, target_us, cores, loads_at(_LINE_CORES, cores))
