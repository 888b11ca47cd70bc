"""Input, state and log of a replay on shared cores, as flat arrays for compiled code."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tailc.models.integrals import FIRST_HALF, NO_REQUEST, PHASES, POOL_COLUMNS, THREADS, WARM_UP
from tailc.models.pools import NEVER_NS
from tailc.models.shared_cores.arrays import LadderArrays
from tailc.models.shared_cores.serial_parts import SerialParts


class ThreadDemand(NamedTuple):
    """The requests of a replay on shared cores in order of arrival, as arrays for compiled code.

    Attributes:
        arrival_ns, work_ns: time of arrival, and work at speed 1 (requests,).
        curve: number of the speed-up curve, a row of `speed` (requests,).
        ladder: number of the ladder; empty if all requests climb the first.
        speed: work per time (curves, rungs).
        serial: work at the beginning and at the end of each request that runs on one thread.
    """

    arrival_ns: NDArray[np.int64]
    work_ns: NDArray[np.int64]
    curve: NDArray[np.int32]
    ladder: NDArray[np.int32]
    speed: NDArray[np.float64]
    serial: SerialParts


class ThreadState(NamedTuple):
    """The state of a replay on shared cores, which compiled code changes at each event.

    Attributes:
        server: time, counts and other numbers.
        queues: waiting requests, one record for each ladder.
        following: for each request, the next one of the same ladder; empty with one ladder.
        jobs: running requests, one record for each.
        clocks: virtual clocks, one for each pool and one for boosted requests; a clock shows the
            work that each running request of its pool has received.
        ladders, pools: numbers of ladders and of pools.
        is_refused: the array of the log.
        part: part of each request that runs, serial or parallel; empty if has_parts is False.
        has_parts: whether requests have serial parts.
    """

    server: Any
    queues: NDArray[np.void]
    following: NDArray[np.int64]
    jobs: NDArray[np.void]
    clocks: NDArray[np.void]
    ladders: int
    pools: int
    is_refused: NDArray[np.bool_]
    part: NDArray[np.int8]
    has_parts: bool


class ThreadLog(NamedTuple):
    """Log of a replay on shared cores, filled by compiled code: by request, rung and phase.

    Attributes:
        latency_ns, wait_ns, rung, is_cut: latency, wait, last rung, and whether it was cut off, of
            each request.
        thread_ns: sum of threads times time of each request.
        is_refused: whether the request was refused.
        is_degraded: whether only a part of its work was to be done.
        lost_ns: work that was not done, including that of requests that were cut off.
        rung_ns: threads times time on each rung, of all requests.
        integrals: integrals over time of 1, requests in the system, and for each pool threads and
            running threads (PHASES, 2 + 2 pools).
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
    def empty(cls, requests: int, pools: int, rungs: int) -> ThreadLog:
        """Make an empty log of a replay of shared cores, with room for `requests` requests."""
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


# A running request. They are packed, in no order. An unsigned index needs no test for negative
# values.
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
        ("unreleased", np.int64),  # the first that no exit has released
    ],
    align=True,
)
# Requests that progress equally: those in one pool, or the boosted ones.
_CLOCK = np.dtype(
    [
        ("threads", np.int64),
        ("supply", np.int64),
        ("served", np.float64),  # reading of the clock
        ("share", np.float64),  # share of a core that every thread has
        ("leaver", np.int64),  # request of the next exit
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
        ("oldest", np.int64),  # request of the next cut-off
        ("boosted", np.int64),  # threads of the rungs of boosted requests with serial parts
    ],
    align=True,
)


def empty_server(
    demand: ThreadDemand,
    table: LadderArrays,
    measured_from: int,
    most_in_system: int,
    is_refused: NDArray[np.bool_],
) -> ThreadState:
    """Make the state of a replay of shared cores before the first arrival.

    The queues are not filled yet.
    """
    state = ThreadState(
        np.zeros(1, _SERVER)[0],
        np.zeros(len(table.row_of_load), _QUEUE),
        np.empty(len(demand.ladder), np.int64),
        np.empty(most_in_system, _JOB),
        np.zeros(len(table.capacity_ppm) + 1, _CLOCK),
        len(table.row_of_load),
        len(table.capacity_ppm),
        is_refused,
        np.empty(len(demand.serial.start_ns), np.int8),
        len(demand.serial.start_ns) > 0,
    )
    state.server["phase"] = WARM_UP if measured_from > 0 else FIRST_HALF
    state.server["climb_at"] = state.server["cut_at"] = NEVER_NS
    state.queues["row"] = table.row_of_load[:, 0]
    state.clocks["supply"] = [*table.capacity_ppm, table.capacity_ppm[table.boost_pool]]
    state.clocks["leaver"] = NO_REQUEST
    return state
