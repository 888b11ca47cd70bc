"""A tail that no schedule goes below, whatever it knows.

**What is shown.** On C cores, let rank requests of those that count leave within T of their
arrival. Then in a queue of one server, which works off C units at a time in order of arrival, as
many leave within T, where request j brings the core-time

    E_j(T) = T c_j(w_j / T),

c_j(v) the fewest cores on which it has speed v, by the hull of its rungs; infinite if v is above
its highest speed. `lower_bound_ns` is the least T for which one server can do that.

**Why.** Let request j, of those in time, have x(t) cores at time t, and speed s(x(t)), s the hull.
In a window of length T it does w_j. As s is concave, Jensen's inequality gives
w_j <= T s(mean of x), so it takes at least T c_j(w_j / T) of core-time within its window. What all
take within a stretch is C times its length at most. Of one server with those sizes, those arrivals
and those deadlines the same can be said, which is all that it takes to meet every deadline in order
of deadline (preemptive EDF; Horn 1974); that is the order of arrival, as windows are equally long.
Requests that do not count may be left out, as may all beyond the rank, for that makes room.

**How.** How many one server can serve in time at most is a case of one machine with agreeable
release and due times: take requests as they come, and when one would be late, leave out the one of
those before it, or itself, without which the server is free earliest (Kise, Ibaraki and Mine, 1978;
the proof was mended by Li, Chen and Tang, 2010). E_j falls with T, as c_j is convex from 0, and
windows grow; so what can be done in T can be done in more, and T is found by halving.

It holds for every schedule on these cores: with other degrees at every instant, preemption and all
sizes and arrivals known. It is never below the percentile of w_j over the highest speed.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tailc.models.shared_cores.clairvoyant.arrivals_with_work import Sent, sent
from tailc.models.shared_cores.clairvoyant.server import Hull, SharedServer, cores_for, hull_of
from tailc.models.workload import Workload
from tailc.percentiles import PPM

# Rounding takes less: what is late by no more than this part of the time is taken to be in time.
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
    """No schedule on the server has a smaller percentile of latencies of the requests [ns].

    Of those that come from number `measured_from` on.
    """
    requests = sent(load, order, arrival_ns, measured_from)
    return bound_of(requests, hull_of(server, load.speed), server.cores_ppm / PPM, percentile_ppm)


def bound_of(requests: Sent, hull: Hull, cores: float, percentile_ppm: int) -> int:
    """The same of what is made of them."""
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
    """How many one server must leave out so that all others are in time; not beyond `allowed` + 1.

    core_ns, before: room for what requests since the server was last free bring, and for what it
    had to do when each arrived.
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
    """Take the request out without which least is left to do, and tell how much less that is.

    Without it there is less to do by what it brings, but from then on never less than nothing.
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
