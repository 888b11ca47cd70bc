"""Lower bound on the tail latency of any schedule, even one that knows the future.

**Claim.** On C cores, let `rank` of the measured requests leave within T of their arrival. Then as
many leave within T in a queue with one server that does C units of work per time in order of
arrival, if request j brings the core-time

    E_j(T) = T c_j(w_j / T),

with c_j(v) the fewest cores on which it has speed v, by the hull of its rungs; infinite if v is
above its highest speed. `lower_bound_ns` is the least T for which one server can do that.

**Proof.** Let request j, one of those in time, have x(t) cores at time t, and speed s(x(t)), with s
the hull. In a window of length T it does w_j. Because s is concave, Jensen's inequality gives w_j
<= T s(mean of x), so it takes at least T c_j(w_j / T) of core-time within its window. All requests
together take at most C times the length of any interval. The same holds for one server with these
sizes, arrivals and deadlines, and it suffices to meet every deadline in order of deadline
(preemptive EDF; Horn 1974); that is the order of arrival, because windows have equal lengths.
Requests that are not measured may be left out, as may all beyond the rank, because that frees
capacity.

**Algorithm.** The largest number of requests that one server can serve in time is the case of one
machine with agreeable release and due times: take requests in order of arrival, and when one would
be late, leave out the one among those so far (including itself) without which the server is free
earliest (Kise, Ibaraki and Mine, 1978; proof corrected by Li, Chen and Tang, 2010). E_j falls with
T, because c_j is convex from 0, and windows grow. So what is feasible for T is feasible for more,
and T is found by bisection.

The bound holds for every schedule on these cores, with any degrees at any instant, preemption, and
all sizes and arrivals known. It is never below the percentile of w_j over the highest speed.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tailc.models.shared_cores.clairvoyant.arrivals_with_work import (
    ArrivalsWithWork,
    arrivals_with_work,
)
from tailc.models.shared_cores.clairvoyant.server import SharedServer, SpeedHull, cores_for, hull_of
from tailc.models.workload import Workload
from tailc.percentiles import PPM

# Tolerance for rounding: lateness below this part of the time counts as in time.
_TOLERANCE = 1e-9

_kernel = njit(cache=True, nogil=True)


def lower_bound_ns(
    load: Workload,
    order: NDArray[np.integer],
    arrival_ns: NDArray[np.int64],
    server: SharedServer,
    percentile_ppm: int,
    measured_from: int = 0,
) -> int:
    """Lower bound on a percentile of latencies under any schedule on the server [ns].

    The percentile is over the requests from number `measured_from` on.
    """
    requests = arrivals_with_work(load, order, arrival_ns, measured_from)
    return bound_of(requests, hull_of(server, load.speed), server.cores_ppm / PPM, percentile_ppm)


def bound_of(requests: ArrivalsWithWork, hull: SpeedHull, cores: float, percentile_ppm: int) -> int:
    """Compute the lower bound on a percentile of latency from requests and their speeds [ns].

    hull: the highest speed of each request on a number of cores. cores: number of cores.
    """
    allowed = requests.measured - requests.rank(percentile_ppm)
    room = np.empty(requests.measured), np.empty(requests.measured)
    too_short, enough = 0, 1
    while _left_out(requests, hull, cores, enough, allowed, *room) > allowed:
        too_short, enough = enough, 2 * enough
    while enough - too_short > 1:
        window_ns = (too_short + enough) // 2
        if _left_out(requests, hull, cores, window_ns, allowed, *room) > allowed:
            too_short = window_ns
        else:
            enough = window_ns
    return enough


@_kernel  # pragma: no cover - compiled
def _left_out(requests, hull, cores, window_ns, allowed, core_ns, before):
    """Number of requests that one server must leave out to finish all others in time.

    Stops at `allowed` + 1. core_ns, before: scratch space for the core-time of the requests since
    the server was last free, and for the backlog at each arrival.
    """
    left_out, queued, to_do, last_ns = 0, 0, 0.0, requests.arrival_ns[requests.measured_from]
    supply = cores * window_ns * (1.0 + _TOLERANCE)
    for number in range(requests.measured_from, len(requests.arrival_ns)):
        curve, speed = requests.curve[number], requests.work[number] / window_ns
        if speed > hull.speed[curve, -1] * (1.0 + _TOLERANCE):
            left_out += 1
        else:
            to_do -= cores * (requests.arrival_ns[number] - last_ns)
            last_ns = requests.arrival_ns[number]
            if to_do <= 0.0:
                queued, to_do = 0, 0.0
            before[queued] = to_do
            core_ns[queued] = cores_for(speed, curve, hull) * window_ns
            to_do += core_ns[queued]
            queued += 1
            if to_do > supply:
                left_out += 1
                to_do -= _leave_out(core_ns, before, queued)
                queued -= 1
        if left_out > allowed:
            return left_out
    return left_out


@_kernel  # pragma: no cover - compiled
def _leave_out(core_ns, before, queued):
    """Leave out the request without which the backlog is least; return the reduction.

    The reduction is at most its own core-time, because a backlog is never negative.
    """
    chosen, most, least_before = queued - 1, -1.0, np.inf
    for i in range(queued - 1, -1, -1):
        less = min(core_ns[i], least_before)
        if less > most:
            chosen, most = i, less
        least_before = min(least_before, before[i])
        if least_before <= most:
            break
    less = core_ns[chosen]
    for i in range(chosen + 1, queued):
        less = min(less, before[i])
        core_ns[i - 1], before[i - 1] = core_ns[i], before[i] - less
    return most
