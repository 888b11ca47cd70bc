"""One replay of ladders whose rungs are cores, for `core_types` and `smt`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tailc.errors import Code, Finding, TailcError
from tailc.models.arrivals import check_times
from tailc.models.core_types import engine
from tailc.models.core_types.arrays import CoreTable
from tailc.models.core_types.state import CoreDemand, CoreLog
from tailc.models.ladder_model import ladders_of_arrivals
from tailc.models.observations import ControlSteps, RequestEnergy
from tailc.models.pools import PPM
from tailc.models.workload import Workload

# Work on cores is counted in millionths of a nanosecond; two and a half hours fit into 64 bits.
MOST_WORK_NS = 9 * 10**12


@dataclass(frozen=True, eq=False)
class CoreReplay:
    """Log of a replay on cores, for the models `core_types` and `smt`.

    common: the fields that the outcomes of both models have.
    """

    log: CoreLog
    common: dict[str, Any]


def replay_cores(
    arrays: CoreTable,
    ladder_of: NDArray[np.int32] | None,
    most_in_system: int,
    workload: Workload,
    order: NDArray[np.integer],
    arrival_ns: NDArray[np.int64],
    measured_from: int,
) -> CoreReplay:
    """Replay requests on cores of several types, with tables converted to arrays.

    ladder_of: ladder of each trace record; None: all climb the first. order: trace record of each
    arrival. arrival_ns: ascending arrival times [ns]. measured_from: number of the first request
    that is measured.
    """
    check_times(arrival_ns)
    # Compiled code does not check indices.
    assert workload.speed.shape[1] == len(arrays.unit_of)
    log = CoreLog.empty(len(order), arrays)
    demand = CoreDemand(
        arrival_ns,
        _work(workload)[order],
        workload.curve_of[order],
        ladders_of_arrivals(order, len(arrays.row_of_load), ladder_of),
        _speed_ppm(workload),
    )
    arrived, steps = engine.replay(demand, arrays, measured_from, most_in_system, log)
    common = {
        "arrival_ns": arrival_ns,
        "latency_ns": log.latency_ns,
        "wait_ns": log.wait_ns,
        "rung": log.rung,
        "is_cut": log.is_cut,
        "is_refused": np.zeros(0, np.bool_),
        "thread_ns": log.thread_ns,
        "arrived": arrived,
        "measured_from": measured_from,
        "integrals": log.integrals,
        "capacity_ppm": tuple((arrays.cores * PPM).tolist()),
        "rungs": len(arrays.unit_of),
        "energy": RequestEnergy(log.energy, log.power, tuple(arrays.idle_ppm.tolist())),
        "steps": ControlSteps(*log.steps[:steps].T),
    }
    return CoreReplay(log, common)


def _work(workload: Workload) -> NDArray[np.int64]:
    """Work of each record [millionths of ns]; TailcError if it exceeds 64 bits."""
    if int(workload.work_ns.max()) > MOST_WORK_NS:
        message = f"a request works longer than {MOST_WORK_NS // 10**9:,} s"
        raise TailcError(Finding(Code.METHOD_UNFIT, message))
    return workload.work_ns * PPM


def _speed_ppm(workload: Workload) -> NDArray[np.int64]:
    """Speeds rounded to millionths, at least 1."""
    return np.maximum(np.rint(workload.speed * PPM), 1).astype(np.int64)
