"""Input, state and log of a replay of core types, as flat arrays for compiled code."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tailc.models import streams
from tailc.models.control_law import STEP_COLUMNS
from tailc.models.core_types.arrays import CoreTable
from tailc.models.integrals import FIRST_HALF, PHASES, POOL_COLUMNS, THREADS, WARM_UP
from tailc.models.pools import NEVER_NS
from tailc.models.steering import LOOKED_UP, SETTING_CORES, UNSTEERED, first_output_ppm

# Where batch work wakes: next to a free core, or next to a request.
BESIDE_FREE, BESIDE_REQUEST = range(2)


class CoreDemand(NamedTuple):
    """The requests of a replay on core types in order of arrival, as arrays for compiled code.

    Attributes:
        arrival_ns: time of arrival (requests,).
        work: nanoseconds at speed 1 times 10^6, so that time times millionths of speed is work, and
            nothing rounds (requests,).
        curve: speed-up curve of each request, a row of `speed_ppm` (requests,).
        ladder: ladder of each request; empty if all climb the first.
        speed_ppm: speed of each curve on each rung [1e-6] (curves, rungs).
    """

    arrival_ns: NDArray[np.int64]
    work: NDArray[np.int64]
    curve: NDArray[np.int32]
    ladder: NDArray[np.int32]
    speed_ppm: NDArray[np.int64]


class CoreState(NamedTuple):
    """The state of a replay on core types, which compiled code changes at each event.

    A job is a running request; its slot is its number in `jobs`. A unit is a type of core.

    Attributes:
        server: time, counts and the controller's state.
        jobs: one record for each core (slots,).
        order: slots of running jobs, the oldest first, then the free slots.
        want_ns: first tick at which a job wants each rung or above (slots, rungs).
        older: number of running jobs that want each rung or above (rungs,).
        on: cores of each unit that are on (units,).
        free: these cores without a job, below 0 while jobs run on cores to be turned off (units,).
        eldest: place in `order` of the oldest job on each unit (units,).
        short_at: time from which a unit has too few cores, as far as is known (units,).
        age_us: climb ages that a reactive rule changes (rows, rungs).
        reach_ns: climb ages as currently scaled.
        ring: the last latencies [us].
        scratch: as long as `ring`, to select a percentile.
        random: state of the random generator.
    """

    server: Any
    jobs: NDArray[np.void]
    order: NDArray[np.int64]
    want_ns: NDArray[np.int64]
    older: NDArray[np.int64]
    on: NDArray[np.int64]
    free: NDArray[np.int64]
    eldest: NDArray[np.int64]
    short_at: NDArray[np.int64]
    age_us: NDArray[np.int64]
    reach_ns: NDArray[np.int64]
    ring: NDArray[np.int64]
    scratch: NDArray[np.int64]
    random: NDArray[np.uint64]


class CoreLog(NamedTuple):
    """Log of a replay of core types, filled by compiled code: by request, phase and control step.

    Attributes:
        latency_ns, wait_ns, rung, is_cut: latency, wait, last rung, and whether it was cut off, of
            each request.
        thread_ns: sum of threads times time, of each request.
        energy: in units of power times nanoseconds, of each request.
        integrals: integrals over time of 1, requests in the system, and for each pool threads and
            running threads (PHASES, 2 + 2 pools).
        power: energy of requests (PHASES,).
        steps: time, measured tail, rate, and output after each control step (steps, 4).
        idle_ns: how long the core had been free on which each request started; with one type of
            core only.
        waking: time that batch work took to wake, summed over cores; with one type of core only
            (PHASES, 2).
        off: energy that cores did not draw while off, in the unit of `energy` (PHASES,).
    """

    latency_ns: NDArray[np.int64]
    wait_ns: NDArray[np.int64]
    rung: NDArray[np.int32]
    is_cut: NDArray[np.bool_]
    thread_ns: NDArray[np.float64]
    energy: NDArray[np.float64]
    integrals: NDArray[np.float64]
    power: NDArray[np.float64]
    steps: NDArray[np.int64]
    idle_ns: NDArray[np.int64]
    waking: NDArray[np.float64]
    off: NDArray[np.float64]

    @classmethod
    def empty(cls, requests: int, table: CoreTable) -> CoreLog:
        """Make an empty log of a replay of core types, with room for `requests` requests."""
        steps = 0 if table.steer.law == UNSTEERED else requests // table.steer.epoch
        return cls(
            latency_ns=np.zeros(requests, np.int64),
            wait_ns=np.zeros(requests, np.int64),
            rung=np.zeros(requests, np.int32),
            is_cut=np.zeros(requests, np.bool_),
            thread_ns=np.zeros(requests, np.float64),
            energy=np.zeros(requests, np.float64),
            integrals=np.zeros((PHASES, THREADS + POOL_COLUMNS * len(table.cores)), np.float64),
            power=np.zeros(PHASES, np.float64),
            steps=np.zeros((steps, STEP_COLUMNS), np.int64),
            idle_ns=np.zeros(requests, np.int64),
            waking=np.zeros((PHASES, 2), np.float64),
            off=np.zeros(PHASES, np.float64),
        )


_JOB = np.dtype(
    [
        ("request", np.int64),
        ("begun", np.int64),
        ("born", np.int64),  # time from which its age counts
        ("since", np.int64),  # on its rung, or free
        ("batch_from", np.int64),  # time at which batch work next to its core is awake
        ("spent", np.int64),  # time below the last rung since its core was last free
        ("works_from", np.int64),  # time after its move
        ("left", np.int64),  # work when it begins to work on its rung
        ("exit_at", np.int64),
        ("due", np.int64),  # the tick at which it may move
        ("rung", np.int64),
        ("row", np.int64),
        ("ladder", np.int64),
    ],
    align=True,
)
_SERVER = np.dtype(
    [
        ("now", np.int64),
        ("phase", np.int64),
        ("arrived", np.int64),
        ("started", np.int64),
        ("running", np.int64),
        ("in_system", np.int64),
        ("power_ppm", np.int64),
        ("off_ppm", np.int64),  # what cores that are off would draw without requests
        ("exit_at", np.int64),
        ("leaver", np.int64),  # place in `order` of who exits next
        ("start_at", np.int64),
        ("tick_at", np.int64),
        ("ticked", np.int64),  # the last request that has ticked at this instant
        ("output_ppm", np.int64),
        ("output", np.int64),  # in fixed point
        ("error_us", np.int64),
        ("error_before_us", np.int64),
        ("completed", np.int64),
        ("steps", np.int64),
        ("stepped_at", np.int64),
        ("arrived_by_step", np.int64),
    ],
    align=True,
)


def empty_server(table: CoreTable, measured_from: int, seed: int) -> CoreState:
    """Make the state of a replay of core types before the first arrival.

    seed: seed of the random choice of cores.
    """
    slots, rungs = int(table.cores.sum()), len(table.unit_of)
    looks_up = table.steer.law == LOOKED_UP
    on = (table.steer.settings[-1, SETTING_CORES:] if looks_up else table.cores).copy()
    state = CoreState(
        np.zeros(1, _SERVER)[0],
        np.zeros(slots, _JOB),
        np.arange(slots, dtype=np.int64),
        np.zeros((slots, rungs), np.int64),
        np.zeros(rungs, np.int64),
        on,
        on.copy(),
        np.zeros_like(table.cores),
        np.zeros_like(table.cores),
        table.reach_us.copy(),
        np.zeros_like(table.reach_us),
        np.zeros(table.steer.window, np.int64),
        np.zeros(table.steer.window, np.int64),
        streams.stream(max(table.random_seed, 0), streams.Purpose.PLACEMENT, seed),
    )
    server = state.server
    server["phase"] = WARM_UP if measured_from > 0 else FIRST_HALF
    server["exit_at"] = server["start_at"] = server["tick_at"] = NEVER_NS
    server["ticked"] = -1
    server["off_ppm"] = int(((table.cores - on) * table.idle_ppm).sum())
    server["output_ppm"] = first_output_ppm(table.steer)
    server["output"] = table.steer.limits[2]
    return state
