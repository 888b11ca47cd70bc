"""Energy of a plan's servers: busy, asleep, and for moves.

Each server draws busy_mw with a job and asleep_mw without. A job's work that moves to a pool costs
that pool's migration_mj per server, if the job ran in the epoch before: its start and its end cost
nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tailc.forms.plan.parts import PlannedJob, Pool

Whole = NDArray[np.int64]


def job_places(job: PlannedJob, pools: int, epochs: int) -> Whole:
    """Numbers of servers that a planned job has, int64 (pools, epochs)."""
    places = np.zeros((pools, epochs), np.int64)
    for span in job.spans:
        places[span.pool, span.epoch_slice] = span.servers
    return places


def moved_servers(
    jobs: Sequence[PlannedJob], pools: int, epochs: int, *, is_malleable: bool
) -> Whole:
    """Number of servers whose work moves, by pool and epoch; int64 (pools, epochs).

    Each move is charged to a pool. Rigid job: the servers of a pool that it did not have in the
    epoch before (Haque 2016, eq. A.6, without its first epoch). Malleable job: the larger of
    servers taken and servers released (eq. B.5); released servers are charged in the pool that they
    leave.
    """
    moves = np.zeros((pools, epochs), np.int64)
    for job in jobs:
        places = job_places(job, pools, epochs)
        changed, runs = np.diff(places, axis=1), places.sum(axis=0) > 0
        began = np.logical_or.accumulate(runs)[:-1]
        taken = np.maximum(changed, 0)
        if is_malleable:
            given = np.maximum(-changed, 0)
            taken = np.where(given.sum(axis=0) > taken.sum(axis=0), given, taken)
        moves[:, 1:] += taken * (began & runs[1:])
    return moves


def drawn_by_pool(
    pools: Sequence[Pool], busy: Whole, moves: Whole, epoch_s: int
) -> tuple[tuple[int, ...], ...]:
    """Energy that servers and moves draw, by epoch, then by pool [mJ].

    busy, moves: number of servers with a job, and of servers whose work moves, int64 (pools,
    epochs). Computed with Python's unlimited integers, since products may not fit into 64 bits.
    """
    return tuple(
        tuple(
            _drawn_mj(pool, int(busy[number, epoch]), int(moves[number, epoch]), epoch_s)
            for number, pool in enumerate(pools)
        )
        for epoch in range(busy.shape[1])
    )


def _drawn_mj(pool: Pool, busy: int, moved: int, epoch_s: int) -> int:
    drawn_mw = busy * pool.busy_mw + (pool.servers - busy) * pool.asleep_mw
    return drawn_mw * epoch_s + moved * pool.migration_mj
