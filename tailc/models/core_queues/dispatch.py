"""Assign requests to cores with their own queues.

Each request goes to a random core, all equally likely: Kasture et al. (MICRO 2015) do not describe
the load balancer. So under Poisson arrivals each core meets its own Poisson process. The same
arrivals always go to the same cores, whatever is replayed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tailc.models import streams
from tailc.models.core_queues.arrays import CoreQueueArrays, single_level
from tailc.models.core_queues.clairvoyant_levels import clairvoyant_levels
from tailc.models.core_queues.clocks import ClairvoyantRule
from tailc.models.core_queues.level_progress import LevelProgress
from tailc.models.core_queues.state import ClockDemand
from tailc.models.streams import Purpose

_SEED = 1


def clock_demand(
    arrival_ns: NDArray[np.int64],
    order: NDArray[np.integer],
    clocked: LevelProgress,
    arrays: CoreQueueArrays,
    measured_from: int,
) -> ClockDemand:
    """The engine's arrays of requests: the records in `order`, each with a random core."""
    record, table = order.astype(np.int32), arrays.table
    core = random_cores(arrival_ns, table.cores)
    demand = ClockDemand(arrival_ns, record, core, np.zeros(0, np.int64), clocked)
    level = single_level(arrays)
    if level is not None:
        return demand._replace(level=np.full(len(order), level, np.int64))
    if isinstance(arrays.rule, ClairvoyantRule):
        level_of = clairvoyant_levels(demand, table, arrays.rule, measured_from)
        return demand._replace(level=level_of)
    return demand


def random_cores(arrival_ns: NDArray[np.int64], cores: int) -> NDArray[np.int32]:
    """Draw a random core for each arrival, int32 (arrivals,)."""
    core = np.zeros(len(arrival_ns), np.int32)
    if cores > 1:
        seed = int(arrival_ns[-1]) if len(arrival_ns) else 0
        streams.fill_below(streams.stream(_SEED, Purpose.PLACEMENT, seed), cores, core)
    return core
