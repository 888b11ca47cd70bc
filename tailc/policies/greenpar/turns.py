"""When jobs of a log begin on a cluster if each has the servers that it asks for.

A job begins with the first epoch from its submission on in which, and in all epochs that it then
takes, its servers are free; jobs are given theirs in order of submission. So where all fit at once
nobody waits, and a cluster that is smaller than that of the log has a queue.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]


def turns_of(submit_s: Whole, run_s: Whole, width: Whole, epoch_s: int, servers: int) -> Whole:
    """The epoch in which each job begins; the jobs are in order of submission, int64 (jobs,).

    A job that is wider than the servers has no turn: it is given the epoch in which it would have
    one if there were more, and no other waits for it. Takes O(jobs epochs) at worst.
    """
    first = -(-submit_s // epoch_s)
    length = -(-run_s // epoch_s)
    # After all that was there before a job is done, it has room.
    epochs = int(first.max(initial=0) + length.sum()) + 1
    free = _Free(min(epochs, int(first.max(initial=0) + length.max(initial=0)) + 1), servers)
    asked = zip(first.tolist(), length.tolist(), width.tolist(), strict=True)
    return np.array([free.take(*one) for one in asked], np.int64)


class _Free:
    """Servers that are free in each epoch; there are more epochs whenever one is asked for."""

    def __init__(self, epochs: int, servers: int) -> None:
        self._servers = servers
        self._free = np.full(epochs, servers, np.int64)

    def take(self, first: int, length: int, width: int) -> int:
        """The first epoch from `first` on with room for so long, which is then taken."""
        if width > self._servers:
            return first
        at = first
        while True:
            self._reach(at + length)
            short = np.flatnonzero(self._free[at : at + length] < width)
            if not len(short):
                self._free[at : at + length] -= width
                return at
            at += int(short[-1]) + 1

    def _reach(self, epochs: int) -> None:
        if (lacking := epochs - len(self._free)) > 0:
            more = np.full(lacking + len(self._free), self._servers, np.int64)
            self._free = np.concatenate([self._free, more])
