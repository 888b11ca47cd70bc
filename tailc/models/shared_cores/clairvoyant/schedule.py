"""A schedule that knows every size and tries to finish each request by its target; compiled.

Every request is due at a target time after its arrival. At each arrival and exit, cores are
reassigned:

1. *Giving up.* A request gives up if it would be late even at its highest speed from now on. If all
   requests up to some due time would be late together, even if each were as efficient as at one
   constant speed until it is due, the one that takes most core-time gives up; this repeats until
   they are not late.
2. *Needed cores.* In order of due time each request gets the cores on which it is just in time at a
   constant speed, as long as cores remain.
3. *Remaining cores* raise each request to the first corner of its hull, then to the second, and so
   on, so that they are used where they do most; in order of due time.
4. *Requests that gave up* get the rest in the same way, in the order in which they gave up.

A request may have any fraction of a core, and so may alternate between two degrees: see
`SpeedHull`. It exits at the first whole nanosecond at which its work is done. Requests that have
not arrived are unknown. An event costs O(running), in the worst case its square.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tailc.models.kernel_decorators import part
from tailc.models.pools import NEVER_NS
from tailc.models.shared_cores.clairvoyant.arrivals_with_work import ArrivalsWithWork
from tailc.models.shared_cores.clairvoyant.server import SpeedHull, cores_for, speed_on

# Tolerance for rounding: lateness below this part of the time counts as in time.
_TOLERANCE = 1e-9
# Work that ends this little after a whole nanosecond ends at it.
_SNAP_NS = 1e-5
_NO_REQUEST = -1

# An unfinished request. Those in time are in order of arrival, the others as they gave up.
_JOB = np.dtype(
    [
        ("request", np.int64),
        ("curve", np.int64),
        ("due", np.int64),
        ("left", np.float64),  # work
        ("cores", np.float64),
        ("speed", np.float64),
    ],
    align=True,
)

_kernel = njit(cache=True, nogil=True)


def latencies_ns(
    requests: ArrivalsWithWork, hull: SpeedHull, cores: float, target_ns: int
) -> NDArray[np.int64]:
    """Latency of each request under the clairvoyant schedule for a latency target [ns].

    cores: number of cores. hull: the highest speed of each request on a number of cores. The
    schedule knows the work of each request as it arrives.
    """
    count = len(requests.arrival_ns)
    latency_ns = np.empty(count, np.int64)
    room = np.zeros(count, _JOB), np.zeros(count, _JOB)
    _run_events(requests, hull, cores, target_ns, *room, latency_ns)
    return latency_ns


@_kernel  # pragma: no cover - compiled
def _run_events(requests, hull, cores, target_ns, timely, late, latency_ns):
    """Process one event after another.

    Jobs in time are `timely[first:last]`; those that gave up are `late[late_first:late_last]`, and
    those of them that have cores come before `late_end`.
    """
    now, arrived, count = np.int64(0), 0, len(requests.arrival_ns)
    first, last, late_first, late_end, late_last = 0, 0, 0, 0, 0
    while True:
        at = requests.arrival_ns[arrived] if arrived < count else NEVER_NS
        at = min(at, _next_exit(timely, first, last, now))
        at = min(at, _next_exit(late, late_first, late_end, now))
        if at == NEVER_NS:
            return
        passed, now = float(at - now), at
        first = _work_on(timely, first, last, passed, now, requests, latency_ns)
        late_first = _work_on(late, late_first, late_end, passed, now, requests, latency_ns)
        while arrived < count and requests.arrival_ns[arrived] == now:
            _line_up(timely[last], arrived, requests, target_ns)
            arrived, last = arrived + 1, last + 1
        while True:
            hopeless = _find_hopeless(timely, first, last, now, hull, cores)
            if hopeless == _NO_REQUEST:
                break
            late[late_last] = timely[hopeless]
            _release(late, late_last, late_last + 1)
            _close_gap(timely, first, hopeless)
            first, late_last = first + 1, late_last + 1
        left = _deal_needed(timely, first, last, cores)
        left, _ = _deal_rest(timely, first, last, hull, left)
        _set_speeds(timely, first, last, hull)
        _release(late, late_first, late_end)
        left, late_end = _deal_rest(late, late_first, late_last, hull, left)
        _set_speeds(late, late_first, late_end, hull)


@part  # pragma: no cover - compiled
def _next_exit(jobs, first, last, now):
    """Time of the first exit among some jobs at their speeds."""
    least = np.inf
    for i in range(first, last):
        if jobs[i].speed > 0.0:
            least = min(least, jobs[i].left / jobs[i].speed)
    if least >= NEVER_NS - now:
        return NEVER_NS
    return now + max(np.int64(np.ceil(least - _SNAP_NS)), 0)


@part  # pragma: no cover - compiled
def _work_on(jobs, first, last, passed, now, requests, latency_ns):
    """Advance the time; finished jobs exit. Return the index of the first other job."""
    gap = last
    for i in range(last - 1, first - 1, -1):
        job = jobs[i]
        job.left -= passed * job.speed
        if job.speed > 0.0 and job.left <= _SNAP_NS * job.speed:
            latency_ns[job.request] = now - requests.arrival_ns[job.request]
        else:
            gap -= 1
            jobs[gap] = job
    return gap


@part  # pragma: no cover - compiled
def _line_up(job, request, requests, target_ns):
    job.request = request
    job.curve = requests.curve[request]
    job.due = requests.arrival_ns[request] + target_ns
    job.left = requests.work[request]


@_kernel  # pragma: no cover - compiled
def _find_hopeless(jobs, first, last, now, hull, cores):
    """Index of a job that gives up; if there is none, set what all jobs need."""
    core_ns, costliest, most = 0.0, _NO_REQUEST, 0.0
    for i in range(first, last):
        job = jobs[i]
        window = float(job.due - now)
        if job.left > window * hull.speed[job.curve, -1] * (1.0 + _TOLERANCE):
            return i
        job.cores = cores_for(job.left / window, job.curve, hull)
        own = job.cores * window
        core_ns += own
        if own > most:
            costliest, most = i, own
        if core_ns > cores * window * (1.0 + _TOLERANCE):
            return costliest
    return _NO_REQUEST


@part  # pragma: no cover - compiled
def _close_gap(jobs, first, gap):
    """Move up the jobs before one that has left."""
    for i in range(gap, first, -1):
        jobs[i] = jobs[i - 1]


@part  # pragma: no cover - compiled
def _deal_needed(jobs, first, last, left):
    """Give each job its needed cores as long as cores remain; return the remaining cores."""
    for i in range(first, last):
        jobs[i].cores = min(jobs[i].cores, left)
        left -= jobs[i].cores
    return left


@_kernel  # pragma: no cover - compiled
def _deal_rest(jobs, first, last, hull, left):
    """Raise jobs to one corner after another; return remaining cores and the end of the jobs."""
    end = first
    for corner in range(1, hull.cores.shape[1]):
        for i in range(first, last):
            if left <= 0.0:
                return 0.0, end
            more = min(hull.cores[jobs[i].curve, corner] - jobs[i].cores, left)
            if more > 0.0:
                jobs[i].cores += more
                left -= more
            end = max(end, i + 1)
    return left, end


@part  # pragma: no cover - compiled
def _set_speeds(jobs, first, last, hull):
    for i in range(first, last):
        jobs[i].speed = speed_on(jobs[i].cores, jobs[i].curve, hull)


@part  # pragma: no cover - compiled
def _release(jobs, first, last):
    """Take the cores from all jobs."""
    for i in range(first, last):
        jobs[i].cores = 0.0
        jobs[i].speed = 0.0
