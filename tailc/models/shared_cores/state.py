"""What a replay reads, remembers and writes, as flat arrays for compiled code."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tailc.models.integrals import FIRST_HALF, NOBODY, PHASES, POOL_COLUMNS, THREADS, WARM_UP
from tailc.models.pools import NEVER_NS
from tailc.models.shared_cores.arrays import Lowered


class Demand(NamedTuple):
    """Requests in order of arrival: when, how much work, which ladder, and speed[curve, rung].

    ladder is empty where all requests climb the first.
    """

    arrival_ns: NDArray[np.int64]
    work_ns: NDArray[np.int64]
    curve: NDArray[np.int32]
    ladder: NDArray[np.int32]
    speed: NDArray[np.float64]


class State(NamedTuple):
    """What the engine remembers: scalars, waiters by ladder, requests that run, virtual clocks.

    following: the next request of the same ladder, for each; empty where there is one ladder.
    is_refused: that of the log.
    clocks: one for each pool, and the last for boosted requests.
    """

    server: Any
    queues: NDArray[np.void]
    following: NDArray[np.int64]
    jobs: NDArray[np.void]
    clocks: NDArray[np.void]
    ladders: int
    pools: int
    is_refused: NDArray[np.bool_]


class Log(NamedTuple):
    """What the engine writes, by request, and the time integrals by phase.

    latency_ns, wait_ns, rung, is_cut: of each request. thread_ns: sum of threads times time, in
    thread-nanoseconds. is_refused, is_degraded: whether it never entered, or only a part of its
    work was to be done. lost_ns: work that was not done, of those that were cut off too. rung_ns:
    threads times time on each rung, of all requests. integrals: (PHASES, 2 + 2 pools), over time:
    1, requests in the system, and for each pool threads and threads that run.
    """

    latency_ns: NDArray[np.int64]
    wait_ns: NDArray[np.int64]
    rung: NDArray[np.int32]
    is_cut: NDArray[np.bool_]
    thread_ns: NDArray[np.float64]
    is_refused: NDArray[np.bool_]
    is_degraded: NDArray[np.bool_]
    lost_ns: NDArray[np.float64]
    rung_ns: NDArray[np.float64]
    integrals: NDArray[np.float64]

    @classmethod
    def empty(cls, requests: int, pools: int, rungs: int) -> Log:
        """Room for so many requests, and nothing written."""
        return cls(
            latency_ns=np.zeros(requests, np.int64),
            wait_ns=np.zeros(requests, np.int64),
            rung=np.zeros(requests, np.int32),
            is_cut=np.zeros(requests, np.bool_),
            thread_ns=np.zeros(requests, np.float64),
            is_refused=np.zeros(requests, np.bool_),
            is_degraded=np.zeros(requests, np.bool_),
            lost_ns=np.zeros(requests, np.float64),
            rung_ns=np.zeros(rungs, np.float64),
            integrals=np.zeros((PHASES, THREADS + POOL_COLUMNS * pools), np.float64),
        )


# A request that runs; they lie packed, in no order. (An unsigned number is an index that needs no
# test for counting from the end.)
_JOB = np.dtype(
    [
        ("request", np.int64),
        ("begun", np.int64),
        ("head_start", np.int64),  # age at start
        ("due", np.int64),  # the tick at which it climbs
        ("since", np.int64),  # on its rung
        ("done", np.float64),  # exit, on its clock
        ("rung", np.uint32),
        ("row", np.uint32),
        ("ladder", np.uint32),
        ("clock", np.uint32),
    ],
    align=True,
)
# The requests of one ladder that wait, in order of arrival.
_QUEUE = np.dtype(
    [
        ("row", np.int64),
        ("first", np.int64),
        ("unreleased", np.int64),  # the first whom no exit has released
    ],
    align=True,
)
# Requests that progress alike: those in one pool, or the boosted.
_CLOCK = np.dtype(
    [
        ("threads", np.int64),
        ("supply", np.int64),
        ("served", np.float64),  # what the clock reads
        ("share", np.float64),  # what every thread gets of a core
        ("leaver", np.int64),  # who exits next
    ],
    align=True,
)
_SERVER = np.dtype(
    [
        ("now", np.int64),
        ("phase", np.int64),
        ("in_system", np.int64),
        ("arrived", np.int64),
        ("running", np.int64),
        ("climb_at", np.int64),
        ("cut_at", np.int64),
        ("oldest", np.int64),  # who is cut off next
    ],
    align=True,
)


def empty_server(
    demand: Demand,
    table: Lowered,
    measured_from: int,
    most_in_system: int,
    is_refused: NDArray[np.bool_],
) -> State:
    """The state before the first arrival; waiters are not lined up yet."""
    state = State(
        np.zeros(1, _SERVER)[0],
        np.zeros(len(table.row_of_load), _QUEUE),
        np.empty(len(demand.ladder), np.int64),
        np.empty(most_in_system, _JOB),
        np.zeros(len(table.capacity_ppm) + 1, _CLOCK),
        len(table.row_of_load),
        len(table.capacity_ppm),
        is_refused,
    )
    state.server["phase"] = WARM_UP if measured_from > 0 else FIRST_HALF
    state.server["climb_at"] = state.server["cut_at"] = NEVER_NS
    state.queues["row"] = table.row_of_load[:, 0]
    state.clocks["supply"] = [*table.capacity_ppm, table.capacity_ppm[table.boost_pool]]
    state.clocks["leaver"] = NOBODY
    return state
