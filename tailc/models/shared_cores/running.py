"""Change the rung and threads of running requests, and find their next change; compiled."""

from __future__ import annotations

from tailc.models.kernel_decorators import once, part
from tailc.models.pools import NEVER_NS, PPM
from tailc.models.shared_cores.parts import threads_of

_THREADS_PER_PPM = 1 / PPM


@part  # pragma: no cover - compiled
def run_on(state, number, left, table, may_boost):
    """Move a job to its new rung, and set when it ends on the virtual clock of its pool.

    left: remaining work. The clock shows the work that each running job of the pool has received;
    the job ends when the clock has advanced by `left`.
    """
    job = state.jobs[number]
    cost = table.threads_ppm[job.rung]
    is_raised = may_boost and job.rung == len(table.threads_ppm) - 1
    if is_raised and _boosted_threads(state) + cost < table.boost_below_ppm:
        job.clock = state.pools
        _reserve(cost, state)
    else:
        job.clock = table.pool_of[job.rung]
    clock = state.clocks[job.clock]
    job.done = clock.served + left
    job.since = state.server.now
    job.due = due_at(job, state.server.now, table)
    if clock.leaver < 0 or job.done < state.jobs[clock.leaver].done:
        clock.leaver = number
    _take(threads_of(job, state, table), job.clock, state, table)


@once  # pragma: no cover - compiled
def go_on(number, left, had, state, table):
    """Start the next part of a job, serial or parallel, and set when the part ends.

    left: work of the part. had: number of threads before. The part ends when the virtual clock of
    the job's pool has advanced by `left`.
    """
    job = state.jobs[number]
    job.done = state.clocks[job.clock].served + left
    _take(threads_of(job, state, table) - had, job.clock, state, table)


@part  # pragma: no cover - compiled
def leave_rung(state, job, table, log):
    """Release the threads of a request's rung, and log how long the request held them."""
    log_threads(job, state, table, log)
    _take(-threads_of(job, state, table), job.clock, state, table)
    if job.clock == state.pools:
        _reserve(-table.threads_ppm[job.rung], state)


@part  # pragma: no cover - compiled
def log_threads(job, state, table, log):
    """Log the thread time of a request on its rung, from its last change of threads until now."""
    threads = threads_of(job, state, table) * _THREADS_PER_PPM
    thread_ns = threads * (state.server.now - job.since)
    log.thread_ns[job.request] += thread_ns
    log.rung_ns[job.rung] += thread_ns


@part  # pragma: no cover - compiled
def _boosted_threads(state):
    """Threads of the rungs of boosted jobs; in a serial part a job uses fewer."""
    return state.server.boosted if state.has_parts else state.clocks[state.pools].threads


@part  # pragma: no cover - compiled
def _reserve(threads, state):
    if state.has_parts:
        state.server.boosted += threads


@part  # pragma: no cover - compiled
def _take(threads, number, state, table):
    """Add threads to a clock; boosted threads are not available to the others in their pool."""
    clock = state.clocks[number]
    clock.threads += threads
    if number == state.pools:
        left_ppm = table.capacity_ppm[table.boost_pool] - clock.threads
        state.clocks[table.boost_pool].supply = max(left_ppm, 0)


@part  # pragma: no cover - compiled
def rung_at(reach_ns, row, age_ns):
    """The rung on which a row of a ladder puts a request of this age.

    reach_ns: age at which each row puts a request on each rung or above [ns].
    """
    rung = 0
    while reach_ns[row, rung + 1] <= age_ns:
        rung += 1
    return rung


@part  # pragma: no cover - compiled
def cut_at(job, table):
    """Time in the replay at which a running job is cut off [ns]; NEVER_NS if it is not.

    A job is cut off when its run time or its age reaches the limit in `table`.
    """
    by_age = max(table.cut_age_ns - job.head_start, 0)
    return min(job.begun + min(by_age, table.cut_off_ns), NEVER_NS)


@part  # pragma: no cover - compiled
def due_at(job, now, table):
    """The next tick at which a request changes its rung, if its row does not change."""
    due = _climb_at(job, now, table)
    if table.may_descend and job.rung > 0:
        tick = _tick_from(max(now, job.begun + 1), job, table)
        if rung_at(table.reach_ns, job.row, job.head_start + tick - job.begun) < job.rung:
            due = tick
    if table.give_up_ns < NEVER_NS:
        left = max(table.give_up_ns - job.head_start, 1)
        give_up_at = _tick_from(job.begun + left, job, table)
        if due >= give_up_at:
            due = give_up_at if job.rung > 0 else NEVER_NS
    return due


@part  # pragma: no cover - compiled
def rung_of(job, now, table):
    """The rung that a job's row has for its age, or the first rung if the job has given up."""
    age_ns = job.head_start + now - job.begun
    if age_ns >= table.give_up_ns:
        return 0
    return rung_at(table.reach_ns, job.row, age_ns)


@once  # pragma: no cover - compiled
def _climb_at(job, now, table):
    """The first tick from now on at which a job climbs."""
    after = table.due_after_ns[job.row, job.rung + 1]
    if job.head_start > 0 and after < NEVER_NS:
        age = table.reach_ns[job.row, job.rung + 1] - job.head_start
        after = max(-(-age // table.quantum_ns), 1) * table.quantum_ns
    if job.begun + after >= now:
        return job.begun + after
    return _tick_from(now, job, table)


@part  # pragma: no cover - compiled
def _tick_from(then, job, table):
    """A job's first tick at or after an instant."""
    return job.begun - (job.begun - then) // table.quantum_ns * table.quantum_ns
