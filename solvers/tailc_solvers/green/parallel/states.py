"""What can be left of a job's work before each epoch of a run, in whole units of a grid.

The work done in an epoch is one of a few gains, so that few of all numbers of units can be left.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from tailc_solvers.green.parallel.kernels import DONE, LOST
from tailc_solvers.green.parallel.problem import Whole


class States(NamedTuple):
    """Amounts of work left, numbered by epoch and then from the least.

    Attributes:
        first: number of the first state of each epoch, and of all states [K + 1].
        after: the state that each level leads to; DONE where no work is left, LOST where more is
            left than can be done [N, L].
        idle: of each epoch, the state of a job without work left that runs on; DONE where there is
            none [K + 1].
    """

    first: Whole
    after: Whole
    idle: Whole

    @classmethod
    def of(cls, gain: Whole, need: int, *, runs_on: bool) -> States:
        """All that `need` units can come to, with these gains in each epoch by level [K, L]."""
        can = np.append(np.cumsum(gain.max(axis=1)[::-1])[::-1], 0)
        left = [np.array([need])]
        for k in range(gain.shape[0]):
            rest = np.unique(np.maximum(left[k][:, None] - gain[k], 0))
            left.append(rest[(rest <= can[k + 1]) & (runs_on | (rest > 0))])
        first = np.cumsum([0, *(amounts.size for amounts in left)])
        left[-1] = left[-1][:0]
        after = [
            first[k + 1] + _places(left[k + 1], left[k][:, None] - gain[k], first[k + 1])
            for k in range(gain.shape[0])
        ]
        has_idle = [bool(amounts.size and amounts[0] == 0) for amounts in left]
        idle = np.where(has_idle, first[:-1], DONE)
        return cls(first[:-1], np.concatenate(after), idle)


def _places(amounts: Whole, rest: Whole, first: int) -> Whole:
    """Where some rests are among sorted amounts, less `first` for those that have no state."""
    at = np.searchsorted(amounts, rest)
    found = np.append(amounts, -1)[at] == rest
    return np.where(rest <= 0, DONE - first, np.where(found, at, LOST - first))


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

    @cached_property
    def states_down(self) -> States:
        """States where work is rounded down."""
        return States.of(self.down, self.need, runs_on=False)

    @cached_property
    def states_up(self) -> States:
        """States where work is rounded up: a job that is taken to be done may run on."""
        return States.of(self.up, self.need, runs_on=not self.is_exact)
