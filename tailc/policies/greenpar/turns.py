"""Start epochs of jobs of a log on a cluster, if each gets the servers that it requests.

A job starts in the first epoch, from its submission on, in which its servers are free for all
epochs of its run; jobs are served in order of submission. If all fit at once, no job waits; a
cluster smaller than that of the log has a queue.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]


def assign_turns(submit_s: Whole, run_s: Whole, width: Whole, epoch_s: int, servers: int) -> Whole:
    """Compute the epoch in which each job starts; int64 (jobs,).

    The jobs are in order of submission. A job wider than the cluster gets the epoch of its
    submission, and no other waits for it. O(jobs epochs) in the worst case.
    """
    first = -(-submit_s // epoch_s)
    length = -(-run_s // epoch_s)
    # After all earlier jobs are done, there is room for any job.
    epochs = int(first.max(initial=0) + length.sum()) + 1
    free = _Free(min(epochs, int(first.max(initial=0) + length.max(initial=0)) + 1), servers)
    requests = zip(first.tolist(), length.tolist(), width.tolist(), strict=True)
    return np.array([free.take(*request) for request in requests], np.int64)


class _Free:
    """Free servers in each epoch; the array grows when later epochs are used."""

    def __init__(self, epochs: int, servers: int) -> None:
        self._servers = servers
        self._free = np.full(epochs, servers, np.int64)

    def take(self, first: int, length: int, width: int) -> int:
        """Reserve `width` servers for `length` epochs, from `first` or later; return the first
        epoch.
        """
        if width > self._servers:
            return first
        start = first
        while True:
            self._reach(start + length)
            short = np.flatnonzero(self._free[start : start + length] < width)
            if not len(short):
                self._free[start : start + length] -= width
                return start
            start += int(short[-1]) + 1

    def _reach(self, epochs: int) -> None:
        if (lacking := epochs - len(self._free)) > 0:
            more = np.full(lacking + len(self._free), self._servers, np.int64)
            self._free = np.concatenate([self._free, more])
