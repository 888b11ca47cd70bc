"""What can be left of a job's work before each epoch of a run, in whole units of a grid.

The work done in an epoch is one of a few gains, so that few of all numbers of units can be left.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tailc_solvers.green.parallel.kernels import DONE, LOST
from tailc_solvers.green.parallel.parts import States
from tailc_solvers.green.parallel.problem import Whole


def states_of(gain: Whole, need: int, *, runs_on: bool) -> States:
    """All that `need` units can come to, with these gains in each epoch by level [K, L]."""
    can = np.append(np.cumsum(gain.max(axis=1)[::-1])[::-1], 0)
    left, first = np.array([need], dtype=np.int64), [0]
    after, idle = [], [DONE]
    for k in range(gain.shape[0]):
        first.append(first[k] + left.size)
        rest = np.maximum(left[:, None] - gain[k], 0)
        amounts, place = np.unique(rest, return_inverse=True)
        is_left = (amounts <= can[k + 1]) & (runs_on | (amounts > 0)) & (k + 1 < gain.shape[0])
        number = np.where(is_left, first[k + 1] - 1 + np.cumsum(is_left), LOST)
        is_idle = is_left[:1].all() and (amounts[:1] == 0).any()
        idle.append(int(number[0]) if is_idle else DONE)
        number[amounts == 0] = DONE
        after.append(number[place].reshape(rest.shape))
        left = amounts[is_left]
    return States(np.array(first), np.concatenate(after), np.array(idle))


@dataclass(frozen=True, eq=False)
class Grid:
    """Work in whole units: of a run's epochs rounded down and up [K, L], and what must be done."""

    need: int
    down: Whole
    up: Whole

    @cached_property
    def is_exact(self) -> bool:
        """Whether nothing had to be rounded before the last epoch."""
        return bool((self.down[:-1] == self.up[:-1]).all())

    def states_down(self) -> States:
        """States where work is rounded down."""
        return states_of(self.down, self.need, runs_on=False)

    def states_up(self) -> States:
        """States where work is rounded up: a job that is taken to be done may run on."""
        return states_of(self.up, self.need, runs_on=not self.is_exact)
