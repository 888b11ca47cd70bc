"""Discrete-event replay of a ladder on one server, compiled.

**What happens.** A request arrives, waits as its row says, runs, climbs, and exits when its work is
done. `in_system` counts it from arrival to exit. All times are whole nanoseconds.

- *Instants.* Events of the same instant come in this order: exits, arrivals, starts, ticks; each
  sees the `in_system` that the ones before left. Among equals the earlier arrival goes first.
- *Admission.* Every waiter reads the row of the current `in_system`, again at every arrival and
  exit. It starts as soon as its row is at-once, or its row has a delay and it has waited that long.
  So requests start in order of arrival.
- *Exits.* `in_system` falls by one. If the row before that was on-exit and a request waits, the
  first waiter starts, whatever the new row says: one start an exit. An on-exit waiter
  also starts when nothing runs, since no exit would come.
- *Ticks.* Each request has its own, at its start plus 1, 2, ... quanta. At a tick it reads the
  row of the current `in_system` with its age and climbs to the row's rung if that is higher.
  Only the ticks at which a request climbs are simulated: after each change of row the next such
  tick is known.
- *Sharing.* A running request has its rung's cost in threads. If all threads exceed the
  server's capacity, boosted threads run in full and the others share the rest equally; a
  request's work shrinks by its speed on the rung times its threads' share. A request exits at
  the first whole nanosecond at which its work is done.
- *Boosting.* A request that climbs to the last rung (one that starts there has not been raised) is
  boosted iff the boosted threads, its own included, stay strictly below the limit
  (Haque et al., ASPLOS 2015, section 4.2).

**How.** Unboosted requests progress alike, so one virtual clock, `served`, advances by their share;
a request's exit is a fixed point on it until it climbs (processor sharing in virtual time).
Boosted requests have a clock of their own. Both restart whenever the server runs empty, which
keeps their rounding small. An event costs O(running) where the row changes or a request climbs
or exits, O(1) otherwise.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tailc.replay.lowered import NEVER_NS, PPM, Lowered

# A virtual clock reads up to 10^10 ns between two empty moments, so its rounding is near 10^-6 ns;
# an exit is not put off to the next nanosecond for that.
_SNAP_NS = 1e-5
_THREADS_PER_PPM = 1 / PPM
_NOBODY = -1

# The event loop allocates nothing, and its caller owns every array. So it goes without counting
# references (`_nrt`, numba's word for its runtime), which would take longer than the replay.
_loop = njit(cache=True, nogil=True, _nrt=False)  # pyright: ignore[reportCallIssue] - not in its stubs
# Parts are written into the loop: as functions of their own they would get every array of their
# arguments by its fields, on each call, and take a second more to compile.
_part = njit(inline="always")

# Phases of a replay: warming up, first and second half of what is measured, draining.
PHASES = 4
_WARM_UP, _FIRST_HALF, _SECOND_HALF, _DRAIN = range(PHASES)
SPAN, IN_SYSTEM, THREADS, BUSY = range(4)


class Demand(NamedTuple):
    """Requests in order of arrival: when, how much work, and speed[curve, rung]."""

    arrival_ns: NDArray[np.int64]
    work_ns: NDArray[np.int64]
    curve: NDArray[np.int32]
    speed: NDArray[np.float64]


class Log(NamedTuple):
    """What the engine writes, by request, and the time integrals by phase.

    latency_ns, wait_ns, rung: of each request. thread_ns: sum of threads times time, in
    thread-nanoseconds. integrals: (PHASES, 4), over time: 1, requests in the system, threads,
    threads that run.
    """

    latency_ns: NDArray[np.int64]
    wait_ns: NDArray[np.int64]
    rung: NDArray[np.int32]
    thread_ns: NDArray[np.float64]
    integrals: NDArray[np.float64]


# A request that runs; they lie packed, in no order.
_JOB = np.dtype(
    [
        ("request", np.int64),
        ("begun", np.int64),
        ("head_start", np.int64),  # age at start
        ("due", np.int64),  # the tick at which it climbs
        ("since", np.int64),  # on its rung
        ("done", np.float64),  # exit, on the request's virtual clock
        ("rung", np.int64),
        ("is_boosted", np.bool_),
    ],
    align=True,
)
_SERVER = np.dtype(
    [
        ("now", np.int64),
        ("phase", np.int64),
        ("row", np.int64),
        ("arrived", np.int64),
        ("started", np.int64),
        ("running", np.int64),
        ("released", np.int64),  # exits that waiters on-exit have not used yet
        ("threads", np.int64),  # of unboosted requests
        ("boosted", np.int64),  # threads of the others
        ("served", np.float64),  # virtual clocks
        ("served_boosted", np.float64),
        ("leaver", np.int64),  # who exits next among unboosted, and among boosted, jobs
        ("favourite", np.int64),
        ("climb_at", np.int64),
    ]
)


def replay(
    demand: Demand, table: Lowered, measured_from: int, most_in_system: int, log: Log
) -> int:
    """Fill `log`; return how many requests arrived before the system held `most_in_system`.

    That is all of them unless the server is overloaded; then the replay stops there, and requests
    still in the system have their age as latency. Integrals are taken apart before request number
    `measured_from`, up to half of the rest, up to the last arrival, and after it.
    """
    server = np.zeros(1, _SERVER)[0]
    jobs = np.empty(most_in_system, _JOB)
    _run(server, jobs, demand, table, measured_from, log)
    return int(server["arrived"])


@_loop  # pragma: no cover - compiled
def _run(server, jobs, demand, table, measured_from, log):
    """One event after another, in the order of the module's docstring."""
    _open(server, table, measured_from)
    while True:
        share, boosted_share = _shares(server, table.capacity_ppm)
        leaving, exit_at = _next_exit(server, jobs, share, boosted_share)
        arrive_at = _next_arrival(server, demand)
        start_at = _next_start(server, demand, table)
        upcoming = min(exit_at, arrive_at, start_at, server.climb_at)
        if upcoming == NEVER_NS:
            return
        _wait_until(upcoming, server, share, boosted_share, table.capacity_ppm, log.integrals)
        if exit_at == upcoming:
            _exit(server, jobs, leaving, demand, table, log)
        elif arrive_at == upcoming:
            _arrive(server, len(demand.arrival_ns), measured_from)
            if _in_system(server) >= len(jobs):
                _cut_off(server, jobs, demand, log)
                return
            if _reread(server, jobs, table):
                _look_ahead(server, jobs)
        elif start_at == upcoming:
            _enter(server, jobs, demand, table, log)
        else:
            _climb(server, jobs, demand, table, log)


@_part  # pragma: no cover - compiled
def _open(server, table, measured_from):
    """An empty server; all else is zero already."""
    server.row = table.row_of_load[0]
    server.phase = _WARM_UP if measured_from > 0 else _FIRST_HALF
    server.leaver = _NOBODY
    server.favourite = _NOBODY
    server.climb_at = NEVER_NS


@_part  # pragma: no cover - compiled
def _in_system(server):
    return server.arrived - server.started + server.running


@_part  # pragma: no cover - compiled
def _shares(server, capacity):
    """What every thread of an unboosted, and of a boosted, request gets of a core."""
    free = max(capacity - server.boosted, 0)
    share = 1.0 if server.threads <= free else free / server.threads
    boosted_share = 1.0 if server.boosted <= capacity else capacity / server.boosted
    return share, boosted_share


@_part  # pragma: no cover - compiled
def _next_exit(server, jobs, share, boosted_share):
    """Who exits next, and when."""
    exit_at = NEVER_NS
    if server.leaver >= 0 and share > 0.0:
        left = (jobs[server.leaver].done - server.served) / share
        exit_at = server.now + _whole_ns(left)
    if server.favourite >= 0:
        left = (jobs[server.favourite].done - server.served_boosted) / boosted_share
        favourite_at = server.now + _whole_ns(left)
        if favourite_at < exit_at:
            return server.favourite, favourite_at
    return server.leaver, exit_at


@_part  # pragma: no cover - compiled
def _whole_ns(left):
    return max(np.int64(np.ceil(left - _SNAP_NS)), 0)


@_part  # pragma: no cover - compiled
def _next_arrival(server, demand):
    if server.arrived < len(demand.arrival_ns):
        return demand.arrival_ns[server.arrived]
    return NEVER_NS


@_part  # pragma: no cover - compiled
def _next_start(server, demand, table):
    """When the first waiter starts, as far as the row of now tells."""
    if server.started == server.arrived:
        return NEVER_NS
    is_on_exit = table.on_exit[server.row]
    if server.released > 0 or (is_on_exit and server.running == 0):
        return server.now
    if is_on_exit:
        return NEVER_NS
    delayed = demand.arrival_ns[server.started] + table.delay_ns[server.row]
    return max(server.now, delayed)


@_part  # pragma: no cover - compiled
def _wait_until(upcoming, server, share, boosted_share, capacity, integrals):
    """Let time pass: clocks and integrals."""
    passed = upcoming - server.now
    threads = server.threads + server.boosted
    sums = integrals[server.phase]
    sums[SPAN] += passed
    sums[IN_SYSTEM] += passed * _in_system(server)
    sums[THREADS] += passed * threads
    sums[BUSY] += passed * min(threads, capacity)
    server.served += passed * share
    server.served_boosted += passed * boosted_share
    server.now = upcoming


@_part  # pragma: no cover - compiled
def _exit(server, jobs, leaving, demand, table, log):
    job = jobs[leaving]
    log.latency_ns[job.request] = server.now - demand.arrival_ns[job.request]
    log.rung[job.request] = job.rung
    _leave_rung(server, job, table, log)
    if table.on_exit[server.row] and server.started + server.released < server.arrived:
        server.released += 1
    server.running -= 1
    jobs[leaving] = jobs[server.running]
    if server.running == 0:
        server.served = 0.0
        server.served_boosted = 0.0
    _reread(server, jobs, table)
    _look_ahead(server, jobs)


@_part  # pragma: no cover - compiled
def _leave_rung(server, job, table, log):
    """Give back the threads of the job's rung, and log how long it had them."""
    cost = table.threads_ppm[job.rung]
    log.thread_ns[job.request] += cost * _THREADS_PER_PPM * (server.now - job.since)
    if job.is_boosted:
        server.boosted -= cost
    else:
        server.threads -= cost


@_part  # pragma: no cover - compiled
def _arrive(server, requests, measured_from):
    if server.arrived == measured_from:
        server.phase = _FIRST_HALF
    if server.arrived == measured_from + (requests - measured_from) // 2:
        server.phase = _SECOND_HALF
    server.arrived += 1
    if server.arrived == requests:
        server.phase = _DRAIN


@_part  # pragma: no cover - compiled
def _cut_off(server, jobs, demand, log):
    """Every request in the system has its age as latency."""
    for i in range(server.running):
        request = jobs[i].request
        log.latency_ns[request] = server.now - demand.arrival_ns[request]
    for request in range(server.started, server.arrived):
        log.latency_ns[request] = server.now - demand.arrival_ns[request]


@_part  # pragma: no cover - compiled
def _enter(server, jobs, demand, table, log):
    """The first waiter starts, on the rung of its age."""
    request = server.started
    waited = server.now - demand.arrival_ns[request]
    log.wait_ns[request] = waited
    server.started += 1
    server.released = max(server.released - 1, 0)
    job = jobs[server.running]
    job.request = request
    job.begun = server.now
    job.head_start = waited if table.ages_from_arrival else 0
    job.since = server.now
    job.rung = _rung_at(table.reach_ns, server.row, job.head_start)
    job.is_boosted = False
    job.done = server.served + (
        demand.work_ns[request] / demand.speed[demand.curve[request], job.rung]
    )
    job.due = _due(job, server.row, server.now, table)
    server.climb_at = min(server.climb_at, job.due)
    server.threads += table.threads_ppm[job.rung]
    if server.leaver < 0 or job.done < jobs[server.leaver].done:
        server.leaver = server.running
    server.running += 1


@_part  # pragma: no cover - compiled
def _climb(server, jobs, demand, table, log):
    """The first job that is due climbs, and is boosted if there is room."""
    number = _first_due(server, jobs)
    job = jobs[number]
    higher = _rung_at(table.reach_ns, server.row, job.head_start + server.now - job.begun)
    speed = demand.speed[demand.curve[job.request]]
    left = (job.done - server.served) * (speed[job.rung] / speed[higher])
    _leave_rung(server, job, table, log)
    job.since = server.now
    job.rung = higher
    cost = table.threads_ppm[higher]
    is_last = higher == len(table.threads_ppm) - 1
    if is_last and server.boosted + cost < table.boost_below_ppm:
        job.is_boosted = True
        job.done = server.served_boosted + left
        server.boosted += cost
    else:
        job.done = server.served + left
        server.threads += cost
    job.due = _due(job, server.row, server.now, table)
    _look_ahead(server, jobs)


@_part  # pragma: no cover - compiled
def _reread(server, jobs, table):
    """Read the row of the requests in the system now; whether it is another."""
    row = table.row_of_load[min(_in_system(server), len(table.row_of_load) - 1)]
    if row == server.row:
        return False
    server.row = row
    for i in range(server.running):
        jobs[i].due = _due(jobs[i], row, server.now, table)
    return True


@_part  # pragma: no cover - compiled
def _rung_at(reach_ns, row, age_ns):
    rung = 0
    while reach_ns[row, rung + 1] <= age_ns:
        rung += 1
    return rung


@_part  # pragma: no cover - compiled
def _due(job, row, now, table):
    """The first tick from now on at which a job climbs, if the row stays."""
    after = table.due_after_ns[row, job.rung + 1]
    if job.head_start > 0 and after < NEVER_NS:
        age = table.reach_ns[row, job.rung + 1] - job.head_start
        after = max(-(-age // table.quantum_ns), 1) * table.quantum_ns
    if job.begun + after >= now:
        return job.begun + after
    return job.begun - (job.begun - now) // table.quantum_ns * table.quantum_ns


@_part  # pragma: no cover - compiled
def _first_due(server, jobs):
    """The earliest arrival among the jobs that climb next."""
    first = _NOBODY
    for i in range(server.running):
        is_due = jobs[i].due == server.climb_at
        if is_due and (first < 0 or jobs[i].request < jobs[first].request):
            first = i
    return first


@_part  # pragma: no cover - compiled
def _look_ahead(server, jobs):
    """When a job climbs next, and who exits next among unboosted and among boosted jobs."""
    climb_at, leaver, favourite = NEVER_NS, _NOBODY, _NOBODY
    for i in range(server.running):
        climb_at = min(climb_at, jobs[i].due)
        if jobs[i].is_boosted:
            if favourite < 0 or jobs[i].done < jobs[favourite].done:
                favourite = i
        elif leaver < 0 or jobs[i].done < jobs[leaver].done:
            leaver = i
    server.climb_at = climb_at
    server.leaver = leaver
    server.favourite = favourite
