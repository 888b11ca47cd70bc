"""The tail latency that a schedule attains if it knows all sizes.

This is a reference, not a bound: a better schedule may exist. `lower_bound_ns` limits how much
better it can be.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tailc.models.shared_cores.clairvoyant.arrivals_with_work import (
    ArrivalsWithWork,
    arrivals_with_work,
)
from tailc.models.shared_cores.clairvoyant.bound import bound_of
from tailc.models.shared_cores.clairvoyant.schedule import latencies_ns
from tailc.models.shared_cores.clairvoyant.server import SharedServer, SpeedHull, hull_of
from tailc.models.workload import Workload
from tailc.percentiles import PPM

# The search for a target ends when it can gain at most this part of the tail.
PRECISION = 512


def clairvoyant_tail_ns(
    load: Workload,
    order: NDArray[np.integer],
    arrival_ns: NDArray[np.int64],
    server: SharedServer,
    percentile_ppm: int,
    measured_from: int = 0,
) -> int:
    """Percentile of latencies that a schedule with all sizes known reaches [ns].

    The percentile is over the requests from number `measured_from` on. order: trace record of each
    arrival. arrival_ns: ascending arrival times. The schedule tries to finish each request by a
    target; the target with the least percentile is searched by bisection, from the lower bound up.
    """
    requests = arrivals_with_work(load, order, arrival_ns, measured_from)
    hull, cores = hull_of(server, load.speed), server.cores_ppm / PPM
    missed = bound_of(requests, hull, cores, percentile_ppm)
    best = _tail_ns(requests, hull, cores, percentile_ppm, missed)
    while best - missed > max(best // PRECISION, 1):
        target_ns = (missed + best) // 2
        tail_ns = _tail_ns(requests, hull, cores, percentile_ppm, target_ns)
        if tail_ns > target_ns:
            missed = target_ns
        best = min(best, tail_ns)
    return best


def _tail_ns(
    requests: ArrivalsWithWork, hull: SpeedHull, cores: float, percentile_ppm: int, target_ns: int
) -> int:
    """The percentile of the schedule for one target [ns]."""
    latency_ns = latencies_ns(requests, hull, cores, target_ns)[requests.measured_from :]
    place = requests.rank(percentile_ppm) - 1
    return int(np.partition(latency_ns, place)[place])
