"""The amounts of work that may remain before each epoch of a run, in whole units of a grid.

The work done in an epoch is one of a few gains, so only few of all amounts are possible.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tailc_solvers.green.parallel.kernels import DONE, spread
from tailc_solvers.green.parallel.parts import States
from tailc_solvers.green.parallel.problem import Whole


def states_of(gain: Whole, need: int, *, runs_on: bool) -> States:
    """Number all amounts of remaining work that a job may have before each epoch.

    gain: work done in each epoch by level, in whole units [K, L]. need: work of the job, in the
    same units. runs_on: whether a job without remaining work keeps running.
    """
    K, L = gain.shape
    can = np.append(np.cumsum(gain.max(axis=1)[::-1])[::-1], 0)
    number = np.full(need + 1, DONE)
    left, first, after = np.array([need], dtype=np.int64), [0], []
    idle = np.full(K + 1, DONE)
    for k in range(K):
        first.append(first[k] + left.size)
        more = np.empty(left.size * L, dtype=np.int64)
        after.append(np.empty((left.size, L), dtype=np.int64))
        # After the last epoch no work can be done, so there is no further state.
        most = can[k + 1] if k + 1 < K else -1
        size = spread(left, gain[k], first[k + 1], most, runs_on, number, more, after[k])
        left = more[:size]
        if runs_on and number[0] >= first[k + 1]:
            idle[k + 1] = number[0]
    return States(np.array(first), np.concatenate(after), idle)


@dataclass(frozen=True, eq=False)
class WorkGrid:
    """Work of a run of a job in whole units, by epoch and level, for an exact or rounded search.

    need: total work of the job. down, up: work in each epoch at each level, rounded down and up [K,
    L].
    """

    need: int
    down: Whole
    up: Whole

    @cached_property
    def is_exact(self) -> bool:
        """Whether the work that is done before a run's last epoch is counted without rounding."""
        return bool((self.down[:-1] == self.up[:-1]).all())

    def states_down(self) -> States:
        """States of a job's work on a grid, with the work of each epoch rounded down."""
        return states_of(self.down, self.need, runs_on=False)

    def states_up(self) -> States:
        """States of a job's work on a grid, with the work of each epoch rounded up.

        A job that is done on the grid may run on, because its exact work may not be done.
        """
        return states_of(self.up, self.need, runs_on=not self.is_exact)
