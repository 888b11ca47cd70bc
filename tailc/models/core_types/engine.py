"""Discrete-event replay of core ladders on one server, compiled.

**What happens** (Haque et al., MICRO 2017, algorithm 1, for any number of core types). A request
in the system waits, or holds exactly one core of its rung's unit. All times are whole nanoseconds.

- *Instants.* Events of the same instant come in this order: exits, arrivals, starts, ticks; each
  sees what the ones before left, and a start that a tick makes possible comes before the next tick.
  Among equals the earlier arrival goes first, which is the older request.
- *Wanting.* A request wants the rung of its row at its age, with the ages as they are scaled now.
  Age counts from arrival or from start. Rows are by requests in the system, as for threads.
- *Starts.* Requests start in order of arrival. The first waiter starts on the highest rung j, up
  to the one it wants, of which a core is free and that fewer older requests want than there are
  cores of rung j's unit and those above; for the unit of the first rung the free core suffices.
  Else it waits until that changes: at an event, or at the very age at which it wants more.
- *Ticks.* Each request has its own, at its start plus 1, 2, ... quanta. At a tick a request that
  wants more than it has moves to the highest rung up to that one, under the conditions above; a
  rung of the unit that it holds already needs neither. No request ever comes down.
- *Making room*, where the rule says so, in two ways; units rank by their lowest rungs. With more
  requests in the system than the cores of a rung's unit and below, as many of the oldest as there
  are too many, and as the units above have cores, are *too many* there: at its tick a running one
  moves to the next unit if that has a free core, and the first waiter starts as far above the rung
  it wants as it is too many, on the highest such unit that has a free core. And a unit is *short*
  if all its cores are held and one is wanted, by the first waiter, by a running request on a lower
  unit, or by the oldest on a short unit below: at its tick the oldest on a short unit moves to the
  next, under the conditions for a climb. So the oldest of each type moves one type up, from the
  free core down to the one that is wanted. With two units the second way adds nothing: whoever is
  asked is one too many.
- *Taking over.* Where rules say so, a request that has waited wants the last rung of its row from
  the start, or begins at the age of the one that left its core: the time below the last rung since
  a request came to that core without waiting. Of cores that fall free at the same instant, the one
  of the last to leave goes first.
- *Moving* takes a time in which no work is done and the new rung's power is drawn.
- *Waking up.* Where cores sleep, a request that starts on one that was free does no work until it
  is awake. Batch work wakes up when a core falls free of a request on the last rung. Until it is
  awake it only counts how long that takes: requests are as slow beside it as if it were.
- *Cut-off.* A request that has run for the longest time allowed exits there, its work unfinished.
- *Steering.* Exits are counted, and the last of an epoch takes a step (`control`), at that exit.
  A look-up turns cores on and off: one that is to be off first ends its request.

**How.** Work is counted in millionths of a nanosecond, so that nothing rounds but an exit up to a
whole nanosecond. After each event the next tick at which a request can move, the next exit and the
next start are known, in O(running); ticks that change nothing are not simulated. What older
requests want only grows until the next event, so a tick that is found possible may fail, and is
then found impossible.
"""

from __future__ import annotations

from numba import njit

from tailc.models.arriving import arrive
from tailc.models.core_types.arrays import NOWHERE, CoreTable
from tailc.models.core_types.control import complete, scale
from tailc.models.core_types.logs import give_up, log_energy, log_waking, wait_until
from tailc.models.core_types.shortage import asked_at, find_shortages, is_any_held_below_free
from tailc.models.core_types.state import (
    BESIDE_FREE,
    BESIDE_REQUEST,
    CoreDemand,
    CoreLog,
    empty_server,
)
from tailc.models.integrals import NOBODY
from tailc.models.pools import NEVER_NS
from tailc.models.streams import uniform

# An age above those of all climbs; with the time of a replay on top it is still below never.
_OLDEST_NS = NEVER_NS // 2

# As in the engine for threads: nothing is allocated in the loop.
_loop = njit(cache=True, nogil=True, _nrt=False)  # pyright: ignore[reportCallIssue] - not in its stubs
_part = njit(inline="always")


def replay(
    demand: CoreDemand, table: CoreTable, measured_from: int, most_in_system: int, log: CoreLog
) -> tuple[int, int]:
    """Fill `log`; return how many requests arrived before the system held `most_in_system`, and
    how many steps were taken.

    That is all of them unless the server is overloaded; then the replay is given up there, and
    requests still in the system have their age as latency. Phases are as for threads.
    """
    seed = int(demand.arrival_ns[-1]) if len(demand.arrival_ns) else 0
    state = empty_server(table, measured_from, seed)
    _run(state, demand, table, measured_from, most_in_system, log)
    return int(state.server["arrived"]), int(state.server["steps"])


@_loop  # pragma: no cover - compiled
def _run(state, demand, table, measured_from, most_in_system, log):
    """One event after another, in the order of the module's docstring."""
    server = state.server
    scale(state, table)
    while True:
        arrive_at = NEVER_NS
        if server.arrived < len(demand.arrival_ns):
            arrive_at = demand.arrival_ns[server.arrived]
        upcoming = min(server.exit_at, arrive_at, server.start_at, server.tick_at)
        if upcoming == NEVER_NS:
            return
        wait_until(upcoming, state, log)
        if server.exit_at == upcoming:
            _exit(state, demand, table, log)
        elif arrive_at == upcoming:
            arrive(server, len(demand.arrival_ns), measured_from)
            if server.in_system >= most_in_system:
                give_up(state, demand, table, log)
                return
            _reread(state, table)
        elif server.start_at == upcoming:
            _start(state, demand, table, log)
        else:
            _tick(state, demand, table, log)
        _look_ahead(state, demand, table)


@_part  # pragma: no cover - compiled
def _exit(state, demand, table, log):
    """The next to leave does; its core is free, and an epoch may end."""
    server = state.server
    place = server.leaver
    slot = state.order[place]
    job = state.jobs[slot]
    latency_ns = server.now - demand.arrival_ns[job.request]
    log.latency_ns[job.request] = latency_ns
    log.rung[job.request] = job.rung
    log.is_cut[job.request] = _is_unfinished(job, server.now, demand)
    log.thread_ns[job.request] = server.now - job.begun
    _leave_rung(state, job, table, log)
    if job.rung == len(table.unit_of) - 1:
        job.batch_from = server.now + table.batch_wake_ns
    job.since = server.now
    server.running -= 1
    server.in_system -= 1
    for i in range(place, server.running):
        state.order[i] = state.order[i + 1]
    state.order[server.running] = slot
    if complete(state, table, latency_ns, log):
        for i in range(server.running):
            _plan(state, state.order[i], table)
    _reread(state, table)


@_part  # pragma: no cover - compiled
def _is_unfinished(job, now, demand):
    worked_ns = max(now - job.works_from, 0)
    speed_ppm = demand.speed_ppm[demand.curve[job.request], job.rung]
    return worked_ns * speed_ppm < job.left


@_part  # pragma: no cover - compiled
def _leave_rung(state, job, table, log):
    """Give back the job's core, and log what it drew there."""
    log_energy(state.server.now, job, table, log)
    unit = table.unit_of[job.rung]
    state.free[unit] += 1
    if state.free[unit] <= 0:
        state.server.off_ppm += table.idle_ppm[unit]
    state.server.power_ppm -= table.power_ppm[job.rung]
    if job.rung < len(table.unit_of) - 1:
        job.spent += state.server.now - job.since
        log_waking(BESIDE_REQUEST, state, job, log)


@_part  # pragma: no cover - compiled
def _reread(state, table):
    """The rows of those that run, by the requests in the system now."""
    if table.keeps_row or table.row_of_load.shape[1] == 1:
        return
    for i in range(state.server.running):
        slot = state.order[i]
        job = state.jobs[slot]
        row = _row_at(state.server, job.ladder, table)
        if row != job.row:
            job.row = row
            _plan(state, slot, table)


@_part  # pragma: no cover - compiled
def _row_at(server, ladder, table):
    return table.row_of_load[ladder, min(server.in_system, table.row_of_load.shape[1] - 1)]


@_part  # pragma: no cover - compiled
def _ladder_of(request, demand):
    return demand.ladder[request] if len(demand.ladder) > 0 else 0


@_part  # pragma: no cover - compiled
def _plan(state, slot, table):
    """The first tick at which a job wants each rung, whether it can have it or not."""
    job = state.jobs[slot]
    for rung in range(len(table.unit_of)):
        want_at = NEVER_NS
        if state.reach_ns[job.row, rung] < NEVER_NS:
            want_at = _tick_from(job, job.born + state.reach_ns[job.row, rung], table)
        state.want_ns[slot, rung] = want_at


@_part  # pragma: no cover - compiled
def _tick_from(job, earliest, table):
    """The job's first tick that is no earlier."""
    quanta = -(-(earliest - job.begun) // table.quantum_ns)
    return job.begun + max(quanta, 1) * table.quantum_ns


@_part  # pragma: no cover - compiled
def _wanted(state, row, age):
    """The highest rung that the age reaches."""
    rung = 0
    while state.reach_ns[row, rung + 1] <= age:
        rung += 1
    return rung


@_part  # pragma: no cover - compiled
def _is_open(rung, older, state, table):
    """Whether a core of the rung is free, and not too many older requests want it."""
    is_free = state.free[table.unit_of[rung]] > 0
    return is_free and older[rung] < table.above[rung]


@_part  # pragma: no cover - compiled
def _start(state, demand, table, log):
    """The first waiter starts, if it still can."""
    server = state.server
    request = server.started
    ladder = _ladder_of(request, demand)
    row = _row_at(server, ladder, table)
    slot = state.order[server.running]
    job = state.jobs[slot]
    has_waited = server.now > demand.arrival_ns[request]
    taken_over = job.spent if has_waited and table.ages_by_core else 0
    born = server.now - taken_over
    if has_waited and table.waited_start_last:
        born = server.now - _OLDEST_NS
    elif table.ages_from_arrival:
        born = demand.arrival_ns[request]
    if table.random_seed >= 0:
        rung = _random_rung(state, table)
    else:
        _count_wants(state, server.running)
        rung = _rung_to_start(state, row, server.now - born, table)
    if rung == NOWHERE:
        return
    job.request = request
    job.spent = taken_over
    job.begun = server.now
    job.born = born
    job.row = row
    job.ladder = ladder
    job.left = demand.work[request]
    log.wait_ns[request] = server.now - demand.arrival_ns[request]
    log.idle_ns[request] = server.now - job.since
    log_waking(BESIDE_FREE, state, job, log)
    wake_ns = table.core_wake_ns if server.now > job.since else 0
    server.started += 1
    server.running += 1
    _run_on(rung, wake_ns, job, state, demand, table)
    _plan(state, slot, table)


@_part  # pragma: no cover - compiled
def _rung_to_start(state, row, age, table):
    """Where a waiter of that age starts now."""
    wanted = _wanted(state, row, age)
    if table.makes_room:
        driven = _driven_rung(state, wanted, table)
        if driven != NOWHERE:
            return driven
    for rung in range(wanted, -1, -1):
        is_of_first = table.unit_of[rung] == table.unit_of[0]
        if is_of_first and state.free[table.unit_of[0]] > 0:
            return rung
        if _is_open(rung, state.older, state, table):
            return rung
    return NOWHERE


@_part  # pragma: no cover - compiled
def _driven_rung(state, wanted, table):
    """The highest rung of a free core to which the number in the system drives the first waiter."""
    driven, rung = NOWHERE, wanted
    while _is_too_many(state, state.server.running, rung, table):
        rung = table.next_unit[rung]
        if state.free[table.unit_of[rung]] > 0:
            driven = rung
    return driven


@_part  # pragma: no cover - compiled
def _random_rung(state, table):
    """The rung of a core drawn at random; where those are held, the next that has a free one."""
    rungs = len(table.unit_of)
    core = int(uniform(state.random) * len(state.jobs))
    rung = 0
    while core >= table.cores[table.unit_of[rung]]:
        core -= table.cores[table.unit_of[rung]]
        rung += 1
    while state.free[table.unit_of[rung]] == 0:
        rung = (rung + 1) % rungs
    return rung


@_part  # pragma: no cover - compiled
def _run_on(rung, move_ns, job, state, demand, table):
    """Let a job run on a rung; what is `left` of it is known."""
    now = state.server.now
    job.rung = rung
    job.since = now
    job.works_from = now + move_ns
    speed_ppm = demand.speed_ppm[demand.curve[job.request], rung]
    done_at = job.works_from - (-job.left // speed_ppm)
    job.exit_at = min(done_at, job.begun + table.cut_off_ns)
    state.free[table.unit_of[rung]] -= 1
    state.server.power_ppm += table.power_ppm[rung]


@_part  # pragma: no cover - compiled
def _tick(state, demand, table, log):
    """The oldest job that is due moves, if it still can."""
    server = state.server
    for place in range(server.running):
        job = state.jobs[state.order[place]]
        if job.due == server.now:
            server.ticked = job.request
            rung = _rung_to_move(state, place, job, demand, table)
            if rung != NOWHERE:
                _move(rung, state.order[place], state, demand, table, log)
            return


@_part  # pragma: no cover - compiled
def _rung_to_move(state, place, job, demand, table):
    """Where a job goes at this tick; nowhere if it stays."""
    _count_wants(state, place)
    for rung in range(_wanted(state, job.row, state.server.now - job.born), job.rung, -1):
        is_in_place = table.unit_of[rung] == table.unit_of[job.rung]
        if is_in_place or _is_open(rung, state.older, state, table):
            return rung
    if table.makes_room and _makes_room(state, place, job.rung, table):
        return table.next_unit[job.rung]
    if table.passes_on and _can_pass_on(state, job.rung, table):
        _find_shortages(state, demand, table)
        if asked_at(state, place, job.rung, table) == state.server.now:
            return table.next_unit[job.rung]
    return NOWHERE


@_part  # pragma: no cover - compiled
def _makes_room(state, place, rung, table):
    """Whether the job at a place is one too many on its unit, and the next has a free core."""
    if not _is_too_many(state, place, rung, table):
        return False
    return state.free[table.unit_of[table.next_unit[rung]]] > 0


@_part  # pragma: no cover - compiled
def _is_too_many(state, place, rung, table):
    """Whether the request at a place in order of age, from 0, has to go above the rung's unit."""
    return place < min(table.left_above[rung], state.server.in_system - table.below[rung])


@_part  # pragma: no cover - compiled
def _can_pass_on(state, rung, table):
    """Whether a job on a held unit has its turn on a free core of the next; `older` is its own."""
    up = table.next_unit[rung]
    is_held = state.free[table.unit_of[rung]] == 0
    return up != NOWHERE and is_held and _is_open(up, state.older, state, table)


@_part  # pragma: no cover - compiled
def _find_shortages(state, demand, table):
    server = state.server
    row, born = NOBODY, server.now
    if server.started < server.arrived:
        row = _row_at(server, _ladder_of(server.started, demand), table)
        if table.ages_from_arrival:
            born = demand.arrival_ns[server.started]
    find_shortages(state, row, born, table)


@_part  # pragma: no cover - compiled
def _move(rung, slot, state, demand, table, log):
    job = state.jobs[slot]
    speed_ppm = demand.speed_ppm[demand.curve[job.request], job.rung]
    job.left -= max(state.server.now - job.works_from, 0) * speed_ppm
    _leave_rung(state, job, table, log)
    _run_on(rung, table.move_ns[rung], job, state, demand, table)


@_part  # pragma: no cover - compiled
def _count_wants(state, places):
    """How many of the oldest jobs, so many of them, want each rung or above now."""
    state.older[:] = 0
    for i in range(places):
        _count_want(state, state.jobs[state.order[i]])


@_part  # pragma: no cover - compiled
def _count_want(state, job):
    age = state.server.now - job.born
    rung = 1
    while state.reach_ns[job.row, rung] <= age:
        state.older[rung] += 1
        rung += 1


@_part  # pragma: no cover - compiled
def _look_ahead(state, demand, table):
    """Who exits next, when the next tick may move somebody, when the first waiter may start."""
    server = state.server
    server.exit_at = server.tick_at = NEVER_NS
    state.older[:] = 0
    may_pass_on = table.passes_on and is_any_held_below_free(state, table)
    if may_pass_on:
        _find_shortages(state, demand, table)
    for place in range(server.running):
        slot = state.order[place]
        job = state.jobs[slot]
        if job.exit_at < server.exit_at:
            server.exit_at = job.exit_at
            server.leaver = place
        if table.random_seed < 0:
            job.due = _due(state, place, slot, job, may_pass_on, table)
            server.tick_at = min(server.tick_at, job.due)
            _count_want(state, job)
    server.start_at = NEVER_NS
    if server.started < server.arrived and server.running < len(state.jobs):
        server.start_at = _start_at(state, demand, table)


@_part  # pragma: no cover - compiled
def _due(state, place, slot, job, may_pass_on, table):
    """The first tick at which a job may move, as far as is known now; it has not ticked yet."""
    now = state.server.now
    earliest = now if job.request > state.server.ticked else now + 1
    due = NEVER_NS
    for rung in range(job.rung + 1, len(table.unit_of)):
        is_in_place = table.unit_of[rung] == table.unit_of[job.rung]
        if is_in_place or _is_open(rung, state.older, state, table):
            due = state.want_ns[slot, rung]
            break
    if table.makes_room and due > earliest and _makes_room(state, place, job.rung, table):
        due = earliest
    elif may_pass_on and due > earliest and _can_pass_on(state, job.rung, table):
        from_ns = asked_at(state, place, job.rung, table)
        if from_ns < NEVER_NS:
            due = min(due, _tick_from(job, max(from_ns, earliest), table))
    if due <= earliest:
        due = _tick_from(job, earliest, table)
    return due


@_part  # pragma: no cover - compiled
def _start_at(state, demand, table):
    """When the first waiter starts, if nothing else happens."""
    server = state.server
    if table.random_seed >= 0:
        return server.now
    row = _row_at(server, _ladder_of(server.started, demand), table)
    age = 0
    if table.ages_from_arrival:
        age = server.now - demand.arrival_ns[server.started]
    if _rung_to_start(state, row, age, table) != NOWHERE:
        return server.now
    if not table.ages_from_arrival:
        return NEVER_NS
    for rung in range(_wanted(state, row, age) + 1, len(table.unit_of)):
        if state.reach_ns[row, rung] < NEVER_NS and _is_open(rung, state.older, state, table):
            return demand.arrival_ns[server.started] + state.reach_ns[row, rung]
    return NEVER_NS
