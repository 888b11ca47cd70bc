"""One replay: a workload in an order, arrival times and a ladder in, what happened out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tailc.errors import Code, Finding, TailcError
from tailc.models.arrivals import LONGEST_NS, LONGEST_YEARS
from tailc.models.core_queues import engine as clock_engine
from tailc.models.core_queues.arrays import Clockwork, adapts
from tailc.models.core_queues.dispatch import clock_demand
from tailc.models.core_queues.state import ClockLog
from tailc.models.core_queues.times import ChipTimes, ClockTimes
from tailc.models.core_types import engine as core_engine
from tailc.models.core_types.arrays import CoreTable
from tailc.models.core_types.state import CoreDemand, CoreLog
from tailc.models.observed import Energy, Losses, Resting, Steps
from tailc.models.outcome import Outcome
from tailc.models.pools import PPM
from tailc.models.shared_cores import engine, state
from tailc.models.shared_cores.arrays import Lowered
from tailc.models.workload import Workload

# Work on cores is counted in millionths of a nanosecond: two hours and a half of it fit.
MOST_WORK_NS = 9 * 10**12
_PPM_PER_MILLI = 1_000


def replay(
    load: Workload,
    order: NDArray[np.integer],
    arrival_ns: NDArray[np.int64],
    table: Lowered | CoreTable | Clockwork,
    most_in_system: int,
    measured_from: int = 0,
    ladder_of: NDArray[np.int32] | None = None,
) -> Outcome:
    """Replay the records named by `order`, the first arriving first, on the ladders.

    `arrival_ns` ascends; TailcError where it goes on for over `LONGEST_YEARS`. `most_in_system` is
    where the replay is given up. `ladder_of` says for each record which ladder it climbs; None: the
    first.
    """
    _check_times(arrival_ns)
    if isinstance(table, Clockwork):
        return _on_clocks(load, order, arrival_ns, table, most_in_system, measured_from)
    ladders = _ladders(order, table, ladder_of)
    if isinstance(table, CoreTable):
        return _on_cores(load, order, arrival_ns, table, most_in_system, measured_from, ladders)
    log = state.Log.empty(len(order), len(table.capacity_ppm), len(table.threads_ppm))
    demand = state.Demand(
        arrival_ns, load.work_ns[order], load.curve_of[order], ladders, load.speed
    )
    arrived = engine.replay(demand, table, measured_from, most_in_system, log)
    return Outcome(
        arrival_ns=arrival_ns,
        arrived=arrived,
        measured_from=measured_from,
        capacity_ppm=tuple(table.capacity_ppm.tolist()),
        rungs=len(table.threads_ppm),
        latency_ns=log.latency_ns,
        wait_ns=log.wait_ns,
        rung=log.rung,
        is_cut=log.is_cut,
        thread_ns=log.thread_ns,
        integrals=log.integrals,
        losses=_losses(log) if table.relieves else None,
        rung_ns=log.rung_ns,
    )


def _losses(log: state.Log) -> Losses:
    return Losses(log.is_refused, log.is_degraded, log.lost_ns)


def _on_cores(
    load: Workload,
    order: NDArray[np.integer],
    arrival_ns: NDArray[np.int64],
    table: CoreTable,
    most_in_system: int,
    measured_from: int,
    ladders: NDArray[np.int32],
) -> Outcome:
    # Compiled code looks no index up twice.
    assert load.speed.shape[1] == len(table.unit_of)
    log = CoreLog.empty(len(order), table)
    demand = CoreDemand(
        arrival_ns, _work(load)[order], load.curve_of[order], ladders, _speed_ppm(load)
    )
    arrived, steps = core_engine.replay(demand, table, measured_from, most_in_system, log)
    return Outcome(
        arrival_ns,
        log.latency_ns,
        log.wait_ns,
        log.rung,
        log.is_cut,
        log.thread_ns,
        arrived,
        measured_from,
        log.integrals,
        tuple((table.cores * PPM).tolist()),
        len(table.unit_of),
        Energy(log.energy, log.power, tuple(table.idle_ppm.tolist())),
        Steps(*log.steps[:steps].T) if table.steer.epoch else None,
        resting=Resting(log.idle_ns, log.waking) if len(table.cores) == 1 else None,
    )


def _on_clocks(
    load: Workload,
    order: NDArray[np.integer],
    arrival_ns: NDArray[np.int64],
    clockwork: Clockwork,
    most_in_system: int,
    measured_from: int,
) -> Outcome:
    table = clockwork.table
    assert load.clocked is not None
    # Compiled code looks no index up twice.
    assert load.clocked.rate.shape[1] == len(table.frequency_khz)
    log = ClockLog.empty(len(order), table)
    demand = clock_demand(arrival_ns, order, load.clocked, clockwork, measured_from)
    arrived, steps = clock_engine.replay(demand, table, measured_from, most_in_system, log)
    return Outcome(
        arrival_ns,
        log.latency_ns,
        log.wait_ns,
        log.rung,
        np.zeros(len(order), np.bool_),
        log.busy_ns,
        arrived,
        measured_from,
        log.integrals,
        (table.cores * PPM,),
        len(table.frequency_khz),
        Energy(log.energy, log.power, (table.idle_mw * _PPM_PER_MILLI,)),
        Steps(*log.steps[:steps].T) if table.steer.epoch else None,
        _clock_times(clockwork, log),
    )


def _clock_times(clockwork: Clockwork, log: ClockLog) -> ClockTimes:
    table = clockwork.table
    chip = None
    if table.chip.is_shared:
        chip = ChipTimes(log.batch_ns, table.chip.batch_mw, log.limited_ns)
    khz = tuple(table.frequency_khz.tolist())
    return ClockTimes(khz, log.level_ns, adapts(clockwork), chip)


def _work(load: Workload) -> NDArray[np.int64]:
    """In millionths of a nanosecond; TailcError where that leaves 64 bits."""
    if int(load.work_ns.max()) > MOST_WORK_NS:
        message = f"a request works longer than {MOST_WORK_NS // 10**9:,} s"
        raise TailcError(Finding(Code.METHOD_UNFIT, message))
    return load.work_ns * PPM


def _speed_ppm(load: Workload) -> NDArray[np.int64]:
    """The nearest millionth, and no standstill."""
    return np.maximum(np.rint(load.speed * PPM), 1).astype(np.int64)


def _check_times(arrival_ns: NDArray[np.int64]) -> None:
    """The last time tells, but where so late ones have left 64 bits it is early again."""
    latest_ns = int(arrival_ns.max(initial=0))
    if latest_ns > LONGEST_NS:
        message = f"`{len(arrival_ns)}` requests at these arrivals take over {LONGEST_YEARS} years"
        hint = "replay fewer requests, or a higher rate"
        raise TailcError(Finding(Code.USAGE, message, help=hint))


def _ladders(
    order: NDArray[np.integer], table: Lowered | CoreTable, ladder_of: NDArray[np.int32] | None
) -> NDArray[np.int32]:
    """The ladder of each arrival; nothing where there is only one."""
    if len(table.row_of_load) == 1:
        return np.empty(0, np.int32)
    if ladder_of is None:
        return np.zeros(len(order), np.int32)
    # Compiled code looks no index up twice: this one must be right.
    assert 0 <= int(ladder_of.min()) <= int(ladder_of.max()) < len(table.row_of_load)
    return ladder_of[order]
