"""Input, state and log of a replay of core queues, as flat arrays for compiled code."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tailc.models.control_law import STEP_COLUMNS
from tailc.models.core_queues.arrays import ClockTable
from tailc.models.core_queues.chip import NOTHING, LimitStep
from tailc.models.core_queues.level_progress import LevelProgress
from tailc.models.integrals import FIRST_HALF, PHASES, POOL_COLUMNS, THREADS, WARM_UP
from tailc.models.pools import NEVER_NS
from tailc.models.steering import UNSTEERED, first_output_ppm


class ClockDemand(NamedTuple):
    """The requests of a replay on core queues in order of arrival, as arrays for compiled code.

    Attributes:
        arrival_ns: time of arrival, int64 (requests,).
        record: number of the trace record that has the request's work, int32 (requests,).
        core: number of the core that serves the request, int32 (requests,).
        level: frequency level of each request; empty if the tail table sets it.
        clocked: speed of each record at each level.
    """

    arrival_ns: NDArray[np.int64]
    record: NDArray[np.int32]
    core: NDArray[np.int32]
    level: NDArray[np.int64]
    clocked: LevelProgress


class ClockState(NamedTuple):
    """The state of a replay on core queues, which compiled code changes at each event.

    server: time, counts and the controller's state. cores: one record for each core: its request,
    level and queue. behind: for each request the next one in the queue of its core, once that has
    arrived. ring: the last latencies [us]. scratch: working memory as long as `ring`, to select a
    percentile.
    """

    server: Any
    cores: NDArray[np.void]
    behind: NDArray[np.int64]
    ring: NDArray[np.int64]
    scratch: NDArray[np.int64]


class ClockLog(NamedTuple):
    """Log of a replay of core queues, filled by compiled code: by request, phase and control step.

    Attributes:
        latency_ns, wait_ns, rung: latency, wait and last frequency level of each request.
        busy_ns, energy: time that a core ran each request, and its energy [W ns].
        integrals: integrals over time of 1, requests in the system, threads and running threads
            (PHASES, 4).
        power: energy of requests by phase (PHASES,).
        level_ns: core time at each level while a core had a request (PHASES, levels).
        batch_ns: core time with batch work, if a chip has some, else empty (PHASES, cores, levels).
        limited_ns: time by the step that the power limit needed (PHASES, 4).
        idle_halted_ns, idle_changes: duration of halts, and energy of frequency changes [nJ], of
            cores without requests (PHASES,).
        steps: time, measured tail, rate, and output after each control step (steps, 4).
    """

    latency_ns: NDArray[np.int64]
    wait_ns: NDArray[np.int64]
    rung: NDArray[np.int32]
    busy_ns: NDArray[np.float64]
    energy: NDArray[np.float64]
    integrals: NDArray[np.float64]
    power: NDArray[np.float64]
    level_ns: NDArray[np.float64]
    batch_ns: NDArray[np.float64]
    limited_ns: NDArray[np.float64]
    idle_halted_ns: NDArray[np.float64]
    idle_changes: NDArray[np.float64]
    steps: NDArray[np.int64]

    @classmethod
    def empty(cls, requests: int, table: ClockTable) -> ClockLog:
        """Make an empty log of a replay of core queues, with room for `requests` requests."""
        steps = 0 if table.steer.law == UNSTEERED else requests // table.steer.epoch
        return cls(
            latency_ns=np.zeros(requests, np.int64),
            wait_ns=np.zeros(requests, np.int64),
            rung=np.zeros(requests, np.int32),
            busy_ns=np.zeros(requests, np.float64),
            energy=np.zeros(requests, np.float64),
            integrals=np.zeros((PHASES, THREADS + POOL_COLUMNS), np.float64),
            power=np.zeros(PHASES, np.float64),
            level_ns=np.zeros((PHASES, len(table.frequency_khz)), np.float64),
            batch_ns=np.zeros((PHASES, *table.chip.batch_mw.shape), np.float64),
            idle_halted_ns=np.zeros(PHASES, np.float64),
            idle_changes=np.zeros(PHASES, np.float64),
            limited_ns=np.zeros((PHASES, len(LimitStep)), np.float64),
            steps=np.zeros((steps, STEP_COLUMNS), np.int64),
        )


_CORE = np.dtype(
    [
        ("request", np.int64),  # the running request
        ("last", np.int64),  # the last arrival
        ("held", np.int64),  # number of requests
        ("left", np.int64),  # of the running request, in parts of 2^-62
        ("rate", np.int64),
        (
            "works_from",
            np.int64,
        ),  # time from which `left` counts; in the future while the core wakes
        ("begun", np.int64),
        ("since", np.int64),  # time up to which its level is accounted for
        ("level", np.int64),  # NOTHING if nothing runs
        ("clock", np.int64),  # level of requests or batch work, NOTHING if the core sleeps
        ("halted_until", np.int64),
        ("requested", np.int64),  # level that it would have without a limit
        ("granted", np.int64),
        ("exit_at", np.int64),
        ("least", np.int64),
        ("takes_ns", np.int64),
        ("batch_level", np.int64),
    ],
    align=True,
)
_SERVER = np.dtype(
    [
        ("now", np.int64),
        ("phase", np.int64),
        ("arrived", np.int64),
        ("in_system", np.int64),
        ("busy", np.int64),  # number of cores with requests
        ("exit_at", np.int64),
        ("leaver", np.int64),  # core of the next exit
        ("bound_ns", np.int64),
        ("output_ppm", np.int64),
        ("output", np.int64),  # in fixed point
        ("error_us", np.int64),
        ("error_before_us", np.int64),
        ("completed", np.int64),
        ("steps", np.int64),
        ("stepped_at", np.int64),
        ("arrived_by_step", np.int64),
        ("decide_at", np.int64),  # next time at which hardware sets the levels
        ("limited", np.int64),
    ],
    align=True,
)


def empty_server(table: ClockTable, requests: int, measured_from: int) -> ClockState:
    """Make the state of a replay of core queues before the first arrival."""
    state = ClockState(
        np.zeros(1, _SERVER)[0],
        np.zeros(table.cores, _CORE),
        np.zeros(requests, np.int64),
        np.zeros(table.steer.window, np.int64),
        np.zeros(table.steer.window, np.int64),
    )
    state.cores["exit_at"] = NEVER_NS
    state.cores["level"] = NOTHING
    state.cores["clock"] = NOTHING
    state.cores["least"] = table.chip.least
    state.cores["takes_ns"] = table.chip.takes_ns
    state.cores["batch_level"] = table.chip.batch_level
    server = state.server
    server["phase"] = WARM_UP if measured_from > 0 else FIRST_HALF
    server["exit_at"] = NEVER_NS
    server["decide_at"] = 0 if table.chip.every_ns else NEVER_NS
    server["output_ppm"] = first_output_ppm(table.steer)
    server["output"] = table.steer.limits[2]
    return state
