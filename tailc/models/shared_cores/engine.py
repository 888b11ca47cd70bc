"""Discrete-event simulation of ladders on one server with shared cores, compiled.

**What happens.** A request arrives, waits as its row says, runs, climbs, and exits when its work is
done. `in_system` counts it from arrival to exit. All times are whole nanoseconds.

- *Instants.* Events at the same instant come in this order: exits, arrivals, starts, ticks. Each
  sees the `in_system` after the events before it. Among equals the earlier arrival goes first.
- *Ladders.* Each request has one ladder and reads only its rows, all by the same `in_system`.
- *Admission.* Every waiter reads its row for the current `in_system`, again at every arrival and
  exit. It starts as soon as its row is at-once, or its row has a delay and it has waited that long.
  So requests of one ladder start in order of arrival, and those of others may overtake them.
- *Exits.* `in_system` falls by one, and the waiter that came first is released: it starts, whatever
  its row says; one start an exit (Haque et al., ASPLOS 2015, section 4.2). The first of all on-exit
  waiters also starts when nothing runs, because no exit would come.
- *Start-below.* If this rule is on, rows and exits start no request. Instead the waiter that came
  first starts as soon as all running requests have less than a limit of one pool's threads.
- *Ticks.* Each request has its own, at its start plus 1, 2, ... quanta. At a tick it reads its row
  for the current `in_system` (or, if ladders do not reread, the row that it read at its start) at
  its age, and climbs to the row's rung if that is higher. If it is lower, the request moves down to
  it and is no longer boosted, unless it may not descend. Only the ticks at which a request changes
  its rung are simulated: the next such tick is computed after each change of row.
- *Sharing.* A running request has its rung's cost in threads of the rung's pool. If all threads in
  a pool exceed its capacity, boosted threads run in full and the others share the rest equally. A
  request's work decreases by its speed on the rung times its threads' share. A request exits at the
  first whole nanosecond at which its work is done.
- *Parts.* A request with serial parts does its beginning, its middle and its end, in this order. In
  the beginning and the end it uses at most one thread, at speed 1. The middle is so fast that the
  whole request takes its work over the speed of the rung. A part ends at the first whole nanosecond
  at which its work is done. Ticks and the limit of boosting do not depend on the part.
- *Boosting.* A request that climbs to the last rung is boosted iff the boosted threads, including
  its own, stay strictly below the limit (Haque et al., ASPLOS 2015, section 4.2). A request that
  starts there is boosted only if `boosts_at_start` is set.
- *Giving up.* If this rule is on, a request moves to the first rung at its first tick from an age
  on, and stays there; one that starts so late starts there.
- *Cut-off.* A request that has run for the longest allowed time exits there, its work unfinished
  (Haque et al., section 2: the server terminates requests and returns what they have found). So
  does one that reaches the age at which a rule ends requests.
- *Overload.* By rule a request that finds a given number in the system is refused: it arrives but
  never counts in `in_system`. One that finds a given number, and is not refused, does only a part
  of its work.

**How.** Unboosted requests in a pool progress equally, so one virtual clock, `served`, advances by
their share. A request's exit is a fixed point on it while it keeps its rung (processor sharing in
virtual time). Boosted requests have their own clock, the last. All clocks restart whenever the
server runs empty, so a clock reads at most the time since then. Up to 45 s its rounding is below
10^-5 ns and moves no exit. A server that is busy for half an hour without a break has steps of 2 *
10^-4 ns, so an exit whose work is done that near to a whole nanosecond may be one nanosecond off.
An event costs O(running) if the row changes, or a request exits or changes its rung, and O(ladders
+ pools) otherwise.
"""

from __future__ import annotations

from tailc.models.arriving import arrive
from tailc.models.integrals import BUSY, IN_SYSTEM, POOL_COLUMNS, SPAN, THREADS
from tailc.models.kernel_decorators import loop, once, part
from tailc.models.pools import NEVER_NS
from tailc.models.shared_cores.arrays import LadderArrays
from tailc.models.shared_cores.next_event import first_due, look_ahead, next_exit
from tailc.models.shared_cores.parts import START, begin, speed_of, threads_of, work_after
from tailc.models.shared_cores.running import (
    cut_at,
    due_at,
    go_on,
    leave_rung,
    log_threads,
    run_on,
    rung_of,
)
from tailc.models.shared_cores.state import ThreadDemand, ThreadLog, ThreadState, empty_server
from tailc.models.shared_cores.waiting import leave_out, line_up, next_of, next_start, release


def replay(
    demand: ThreadDemand,
    table: LadderArrays,
    measured_from: int,
    most_in_system: int,
    log: ThreadLog,
) -> int:
    """Replay the requests and fill `log`; return the number of arrivals.

    All requests arrive unless the server is overloaded. Then the replay stops there, and requests
    still in the system have their age as latency. Integrals are separate for four phases: before
    request `measured_from`, up to half of the rest, up to the last arrival, and after it.
    """
    state = empty_server(demand, table, measured_from, most_in_system, log.is_refused)
    line_up(state.queues, state.following, demand.ladder)
    run = _run_one if state.ladders == state.pools == 1 else _run_many
    if state.has_parts:
        run = _run_parts
    run(state, demand, table, measured_from, log)
    return int(state.server["arrived"])


@loop  # pragma: no cover - compiled
def _run_one(state, demand, table, measured_from, log):
    """Run with one ladder and one pool as constants, a quarter faster without loops over them."""
    _run_events(_with_constants(state, 1, 1, False), demand, table, measured_from, log)


@loop  # pragma: no cover - compiled
def _run_many(state, demand, table, measured_from, log):
    many = _with_constants(state, state.ladders, state.pools, False)
    _run_events(many, demand, table, measured_from, log)


@loop  # pragma: no cover - compiled
def _run_parts(state, demand, table, measured_from, log):
    parts = _with_constants(state, state.ladders, state.pools, True)
    _run_events(parts, demand, table, measured_from, log)


@once  # pragma: no cover - compiled
def _with_constants(state, ladders, pools, has_parts):
    return ThreadState(
        state.server,
        state.queues,
        state.following,
        state.jobs,
        state.clocks,
        ladders,
        pools,
        state.is_refused,
        state.part,
        has_parts,
    )


@part  # pragma: no cover - compiled
def _run_events(state, demand, table, measured_from, log):
    """Process one event after another, in the order of the module's docstring."""
    server = state.server
    while True:
        clock, exit_at = next_exit(state)
        arrive_at = _next_arrival(server, demand)
        queue, start_at = next_start(state, demand, table)
        upcoming = min(exit_at, server.cut_at, arrive_at, start_at, server.climb_at)
        if upcoming == NEVER_NS:
            return
        _wait_until(upcoming, state, table, log.integrals)
        if exit_at == upcoming:
            leaver = state.clocks[clock].leaver
            if not _begin_next_part(leaver, state, demand, table, log):
                _exit(leaver, state, demand, table, log)
        elif server.cut_at == upcoming:
            _cut_off(state, demand, table, log)
        elif arrive_at == upcoming:
            if server.in_system >= table.shed_from:
                _refuse(state, demand, measured_from, log)
                continue
            log.is_degraded[server.arrived] = server.in_system >= table.degrade_from
            arrive(server, len(demand.arrival_ns), measured_from)
            if server.in_system >= len(state.jobs):
                _give_up(state, demand, table, log)
                return
            _reread(state, table)
        elif start_at == upcoming:
            _enter(state, queue, demand, table, log)
        else:
            _change_rung(state, demand, table, log)


@once  # pragma: no cover - compiled
def _next_arrival(server, demand):
    if server.arrived < len(demand.arrival_ns):
        return demand.arrival_ns[server.arrived]
    return NEVER_NS


@once  # pragma: no cover - compiled
def _wait_until(upcoming, state, table, integrals):
    """Advance the time, the clocks and the integrals."""
    server = state.server
    # A float: nanoseconds times millionths of threads exceed 64 bits within minutes.
    passed = float(upcoming - server.now)
    sums = integrals[server.phase]
    sums[SPAN] += passed
    sums[IN_SYSTEM] += passed * server.in_system
    for pool in range(state.pools):
        threads = state.clocks[pool].threads
        if pool == table.boost_pool:
            threads += state.clocks[state.pools].threads
        column = pool * POOL_COLUMNS
        sums[THREADS + column] += passed * threads
        sums[BUSY + column] += passed * min(threads, table.capacity_ppm[pool])
    for number in range(state.pools + 1):
        clock = state.clocks[number]
        clock.served += passed * clock.share
    server.now = upcoming


@once  # pragma: no cover - compiled
def _begin_next_part(number, state, demand, table, log):
    """Whether a job goes on with a part after the one that it has done."""
    if not state.has_parts:
        return False
    job = state.jobs[number]
    log_threads(job, state, table, log)
    job.since = state.server.now
    had = threads_of(job, state, table)
    work = begin(job, state.part[job.request] + 1, state, demand)
    if work == 0.0:
        return False
    work *= _work_share(job.request, table, log)
    go_on(number, work / speed_of(job, job.rung, state, demand), had, state, table)
    look_ahead(state, table)
    return True


@part  # pragma: no cover - compiled
def _work_share(request, table, log):
    return table.work_share if log.is_degraded[request] else 1.0


@part  # pragma: no cover - compiled
def _exit(leaving, state, demand, table, log):
    server = state.server
    job = state.jobs[leaving]
    log.latency_ns[job.request] = server.now - demand.arrival_ns[job.request]
    log.rung[job.request] = job.rung
    leave_rung(state, job, table, log)
    release(state)
    server.in_system -= 1
    server.running -= 1
    state.jobs[leaving] = state.jobs[server.running]
    if server.running == 0:
        for number in range(state.pools + 1):
            state.clocks[number].served = 0.0
    _reread(state, table)
    look_ahead(state, table)


@once  # pragma: no cover - compiled
def _cut_off(state, demand, table, log):
    """Process the next cut-off; the remaining work of the request is lost."""
    job = state.jobs[state.server.oldest]
    left = max(job.done - state.clocks[job.clock].served, 0.0)
    log.lost_ns[job.request] += left * speed_of(job, job.rung, state, demand)
    share = _work_share(job.request, table, log)
    log.lost_ns[job.request] += work_after(job, state, demand) * share
    log.is_cut[job.request] = True
    _exit(state.server.oldest, state, demand, table, log)


@once  # pragma: no cover - compiled
def _refuse(state, demand, measured_from, log):
    """Refuse the next arrival: it is counted but never enters."""
    server = state.server
    request = server.arrived
    log.is_refused[request] = True
    log.lost_ns[request] = demand.work_ns[request]
    arrive(server, len(demand.arrival_ns), measured_from)
    server.in_system -= 1
    leave_out(request, state)


@once  # pragma: no cover - compiled
def _give_up(state, demand, table, log):
    """Give every request in the system its age as latency, and as wait if it has not begun."""
    server = state.server
    for i in range(server.running):
        job = state.jobs[i]
        log.latency_ns[job.request] = server.now - demand.arrival_ns[job.request]
        log.rung[job.request] = job.rung
        log_threads(job, state, table, log)
    for number in range(state.ladders):
        request = state.queues[number].first
        while request < server.arrived:
            log.latency_ns[request] = server.now - demand.arrival_ns[request]
            log.wait_ns[request] = log.latency_ns[request]
            request = next_of(request, state)


@once  # pragma: no cover - compiled
def _enter(state, number, demand, table, log):
    """Start the first waiter of a queue, on the rung of its age."""
    server, queue = state.server, state.queues[number]
    request = queue.first
    waited = server.now - demand.arrival_ns[request]
    log.wait_ns[request] = waited
    queue.first = next_of(request, state)
    queue.unreleased = max(queue.unreleased, queue.first)
    job = state.jobs[server.running]
    job.request = request
    job.begun = server.now
    job.head_start = waited if table.ages_from_arrival else 0
    job.ladder = number
    job.row = queue.row
    job.rung = rung_of(job, server.now, table)
    work = begin(job, START, state, demand) / speed_of(job, job.rung, state, demand)
    if log.is_degraded[request]:
        log.lost_ns[request] = demand.work_ns[request] * (1.0 - table.work_share)
        work *= table.work_share
    run_on(state, server.running, work, table, table.boosts_at_start)
    server.climb_at = min(server.climb_at, job.due)
    cut = cut_at(job, table)
    if cut < server.cut_at:
        server.oldest, server.cut_at = server.running, cut
    server.running += 1


@once  # pragma: no cover - compiled
def _change_rung(state, demand, table, log):
    """Let the first job that is due climb, boosted if there is capacity, or move down."""
    number = first_due(state.server, state.jobs)
    job = state.jobs[number]
    rung = rung_of(job, state.server.now, table)
    gain = speed_of(job, job.rung, state, demand) / speed_of(job, rung, state, demand)
    left = (job.done - state.clocks[job.clock].served) * gain
    leave_rung(state, job, table, log)
    climbs = rung > job.rung
    job.rung = rung
    run_on(state, number, left, table, climbs)
    look_ahead(state, table)


@part  # pragma: no cover - compiled
def _reread(state, table):
    """Read the rows for the current load, and compute when a job next changes its rung."""
    server, is_other, row = state.server, False, 0
    load = min(server.in_system, table.row_of_load.shape[1] - 1)
    for number in range(state.ladders):
        row = table.row_of_load[number, load]
        if row != state.queues[number].row:
            state.queues[number].row = row
            is_other = True
    if table.keeps_row or not is_other:
        return
    running, now, climb_at = server.running, server.now, NEVER_NS
    for i in range(running):
        job = state.jobs[i]
        job.row = row if state.ladders == 1 else state.queues[job.ladder].row
        job.due = due_at(job, now, table)
        climb_at = min(climb_at, job.due)
    server.climb_at = climb_at
