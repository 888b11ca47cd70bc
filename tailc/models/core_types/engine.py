"""Discrete-event simulation of core ladders on one server, compiled.

**What happens** (Haque et al., MICRO 2017, algorithm 1, for any number of core types). A request in
the system waits, or has exactly one core of its rung's unit (type of core). All times are whole
nanoseconds.

- *Instants.* Events at the same instant come in this order: exits, arrivals, starts, ticks. Each
  sees the state after the events before it, and a start that a tick makes possible comes before the
  next tick. Among equals the earlier arrival, which is the older request, goes first.
- *Wanting.* A request wants the rung of its row at its age, with the ages as currently scaled. Age
  counts from arrival or from start. Rows are by requests in the system, as in `shared_cores`.
- *Starts.* Requests start in order of arrival. The first waiter starts on the highest rung j, up to
  the one it wants, that has a free core and that fewer older requests want than there are cores of
  rung j's unit and those above; for the unit of the first rung a free core suffices. Otherwise it
  waits until that changes: at an event, or at the exact age at which it wants more.
- *Ticks.* Each request has its own, at its start plus 1, 2, ... quanta. At a tick a request that
  wants more than it has moves to the highest rung up to the wanted one, under the conditions above;
  a rung of its current unit needs neither condition. A request never moves down.
- *Making room*, if the rule says so, in two ways; units rank by their lowest rungs. First: if the
  system has more requests than there are cores of a rung's unit and below, then as many of the
  oldest requests as are in excess, up to the cores of the units above, are *in excess* there. A
  running one moves at its tick to the next unit if that has a free core. The first waiter starts as
  many units above its wanted rung as it is in excess, on the highest such unit with a free core.
  Second: a unit is *short* if all its cores are in use and one is wanted, by the first waiter, by a
  running request on a lower unit, or by the oldest request on a short unit below. At its tick the
  oldest request on a short unit moves to the next unit, under the conditions for a climb. So the
  oldest of each type moves one type up, from the free core down to the wanted one. With two units
  the second way adds nothing: the request that has to move is in excess anyway.
- *Taking over.* If rules say so, a request that waited wants the last rung of its row from the
  start, or begins at the age of its predecessor on the core: the time below the last rung since a
  request came to that core without waiting. Among cores that become free at the same instant, the
  one of the last exit is taken first.
- *Moving* takes a time in which no work is done and the new rung's power is drawn.
- *Waking up.* If cores sleep, a request that starts on a free core does no work until the core is
  awake. Batch work wakes when a request on the last rung leaves its core. Until then only the
  duration counts: requests are slowed down as if the batch work were awake.
- *Cut-off.* A request that has run for the longest allowed time exits there, its work unfinished.
- *Steering.* Exits are counted, and the last of an epoch makes a step (`control`) at that exit. A
  look-up turns cores on and off; a core to be turned off first ends its request.

**How.** Work is counted in millionths of a nanosecond, so that nothing is rounded except an exit,
up to a whole nanosecond. After each event the engine finds the next tick at which a request can
move, the next exit and the next start, in O(running). Ticks that change nothing are not simulated.
What older requests want only increases until the next event, so a tick that looked possible may
fail when it comes, and is then found impossible.
"""

from __future__ import annotations

from tailc.models.arriving import arrive
from tailc.models.core_types.arrays import NOWHERE, CoreTable
from tailc.models.core_types.control import complete, scale
from tailc.models.core_types.logs import give_up, log_energy, log_waking, wait_until
from tailc.models.core_types.shortage import (
    find_shortages,
    is_any_held_below_free,
    time_to_make_room,
)
from tailc.models.core_types.state import (
    BESIDE_FREE,
    BESIDE_REQUEST,
    CoreDemand,
    CoreLog,
    empty_server,
)
from tailc.models.integrals import NO_REQUEST
from tailc.models.kernel_decorators import loop, once, part
from tailc.models.pools import NEVER_NS
from tailc.models.streams import uniform

# An age above those of all climbs. Added to the time of a replay it is still below never.
_OLDEST_NS = NEVER_NS // 2


def replay(
    demand: CoreDemand, table: CoreTable, measured_from: int, most_in_system: int, log: CoreLog
) -> tuple[int, int]:
    """Replay the requests and fill `log`; return the numbers of arrivals and control steps.

    All requests arrive unless the server is overloaded. Then the replay stops when the system holds
    `most_in_system` requests, and those still in it have their age as latency. Integrals over time
    are separate for four phases: warm-up, both halves of the measured requests, and the time after
    the last arrival.
    """
    seed = int(demand.arrival_ns[-1]) if len(demand.arrival_ns) else 0
    state = empty_server(table, measured_from, seed)
    _run_events(state, demand, table, measured_from, most_in_system, log)
    return int(state.server["arrived"]), int(state.server["steps"])


@loop  # pragma: no cover - compiled
def _run_events(state, demand, table, measured_from, most_in_system, log):
    """Process one event after another, in the order of the module's docstring."""
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


@once  # pragma: no cover - compiled
def _exit(state, demand, table, log):
    """Process the next exit: free its core; an epoch may end."""
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


@once  # pragma: no cover - compiled
def _is_unfinished(job, now, demand):
    worked_ns = max(now - job.works_from, 0)
    speed_ppm = demand.speed_ppm[demand.curve[job.request], job.rung]
    return worked_ns * speed_ppm < job.left


@part  # pragma: no cover - compiled
def _leave_rung(state, job, table, log):
    """Give back the job's core, and log the energy that it drew there."""
    log_energy(state.server.now, job, table, log)
    unit = table.unit_of[job.rung]
    state.free[unit] += 1
    if state.free[unit] <= 0:
        state.server.off_ppm += table.idle_ppm[unit]
    state.server.power_ppm -= table.power_ppm[job.rung]
    if job.rung < len(table.unit_of) - 1:
        job.spent += state.server.now - job.since
        log_waking(BESIDE_REQUEST, state, job, log)


@part  # pragma: no cover - compiled
def _reread(state, table):
    """Read the rows of running requests again, by the number of requests in the system."""
    if table.keeps_row or table.row_of_load.shape[1] == 1:
        return
    for i in range(state.server.running):
        slot = state.order[i]
        job = state.jobs[slot]
        row = _row_at(state.server, job.ladder, table)
        if row != job.row:
            job.row = row
            _plan(state, slot, table)


@part  # pragma: no cover - compiled
def _row_at(server, ladder, table):
    return table.row_of_load[ladder, min(server.in_system, table.row_of_load.shape[1] - 1)]


@part  # pragma: no cover - compiled
def _ladder_of(request, demand):
    return demand.ladder[request] if len(demand.ladder) > 0 else 0


@part  # pragma: no cover - compiled
def _plan(state, slot, table):
    """Compute the first tick at which a job wants each rung, whether or not it can have it."""
    job = state.jobs[slot]
    for rung in range(len(table.unit_of)):
        want_at = NEVER_NS
        if state.reach_ns[job.row, rung] < NEVER_NS:
            want_at = _tick_from(job, job.born + state.reach_ns[job.row, rung], table)
        state.want_ns[slot, rung] = want_at


@part  # pragma: no cover - compiled
def _tick_from(job, earliest, table):
    """The job's first tick at or after a time."""
    quanta = -(-(earliest - job.begun) // table.quantum_ns)
    return job.begun + max(quanta, 1) * table.quantum_ns


@part  # pragma: no cover - compiled
def _wanted_rung(state, row, age):
    """The highest rung that the age reaches."""
    rung = 0
    while state.reach_ns[row, rung + 1] <= age:
        rung += 1
    return rung


@part  # pragma: no cover - compiled
def _is_open(rung, older, state, table):
    """Whether the rung has a free core, and few enough older requests want it."""
    is_free = state.free[table.unit_of[rung]] > 0
    return is_free and older[rung] < table.above[rung]


@once  # pragma: no cover - compiled
def _start(state, demand, table, log):
    """Start the first waiter, if it still can start."""
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


@part  # pragma: no cover - compiled
def _rung_to_start(state, row, age, table):
    """The rung on which a waiter of that age starts now."""
    wanted = _wanted_rung(state, row, age)
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


@once  # pragma: no cover - compiled
def _driven_rung(state, wanted, table):
    """The highest rung with a free core on which the first waiter has to start to make room."""
    driven, rung = NOWHERE, wanted
    while _is_too_many(state, state.server.running, rung, table):
        rung = table.next_unit[rung]
        if state.free[table.unit_of[rung]] > 0:
            driven = rung
    return driven


@once  # pragma: no cover - compiled
def _random_rung(state, table):
    """The rung of a random core; if all its cores are in use, the next rung with a free one."""
    rungs = len(table.unit_of)
    core = int(uniform(state.random) * len(state.jobs))
    rung = 0
    while core >= table.cores[table.unit_of[rung]]:
        core -= table.cores[table.unit_of[rung]]
        rung += 1
    while state.free[table.unit_of[rung]] == 0:
        rung = (rung + 1) % rungs
    return rung


@part  # pragma: no cover - compiled
def _run_on(rung, move_ns, job, state, demand, table):
    """Let a job run on a rung; its `left` work is set already."""
    now = state.server.now
    job.rung = rung
    job.since = now
    job.works_from = now + move_ns
    speed_ppm = demand.speed_ppm[demand.curve[job.request], rung]
    done_at = job.works_from - (-job.left // speed_ppm)
    job.exit_at = min(done_at, job.begun + table.cut_off_ns)
    state.free[table.unit_of[rung]] -= 1
    state.server.power_ppm += table.power_ppm[rung]


@once  # pragma: no cover - compiled
def _tick(state, demand, table, log):
    """Move the oldest job that is due, if it still can move."""
    server = state.server
    for place in range(server.running):
        job = state.jobs[state.order[place]]
        if job.due == server.now:
            server.ticked = job.request
            rung = _rung_to_move(state, place, job, demand, table)
            if rung != NOWHERE:
                _move(rung, state.order[place], state, demand, table, log)
            return


@once  # pragma: no cover - compiled
def _rung_to_move(state, place, job, demand, table):
    """The rung to which a job moves at this tick; none if it stays."""
    _count_wants(state, place)
    for rung in range(_wanted_rung(state, job.row, state.server.now - job.born), job.rung, -1):
        is_in_place = table.unit_of[rung] == table.unit_of[job.rung]
        if is_in_place or _is_open(rung, state.older, state, table):
            return rung
    if table.makes_room and _makes_room(state, place, job.rung, table):
        return table.next_unit[job.rung]
    if table.passes_on and _can_pass_on(state, job.rung, table):
        _find_shortages(state, demand, table)
        if time_to_make_room(state, place, job.rung, table) == state.server.now:
            return table.next_unit[job.rung]
    return NOWHERE


@part  # pragma: no cover - compiled
def _makes_room(state, place, rung, table):
    """Whether the job is in excess on its unit, and the next unit has a free core."""
    if not _is_too_many(state, place, rung, table):
        return False
    return state.free[table.unit_of[table.next_unit[rung]]] > 0


@part  # pragma: no cover - compiled
def _is_too_many(state, place, rung, table):
    """Whether the request at a place in order of age, from 0, has to go above the rung's unit."""
    return place < min(table.left_above[rung], state.server.in_system - table.below[rung])


@part  # pragma: no cover - compiled
def _can_pass_on(state, rung, table):
    """Whether it is the turn of a job on a full unit to move to a free core of the next unit.

    `older` counts the job itself.
    """
    up = table.next_unit[rung]
    is_held = state.free[table.unit_of[rung]] == 0
    return up != NOWHERE and is_held and _is_open(up, state.older, state, table)


@part  # pragma: no cover - compiled
def _find_shortages(state, demand, table):
    server = state.server
    row, born = NO_REQUEST, server.now
    if server.started < server.arrived:
        row = _row_at(server, _ladder_of(server.started, demand), table)
        if table.ages_from_arrival:
            born = demand.arrival_ns[server.started]
    find_shortages(state, row, born, table)


@once  # pragma: no cover - compiled
def _move(rung, slot, state, demand, table, log):
    job = state.jobs[slot]
    speed_ppm = demand.speed_ppm[demand.curve[job.request], job.rung]
    job.left -= max(state.server.now - job.works_from, 0) * speed_ppm
    _leave_rung(state, job, table, log)
    _run_on(rung, table.move_ns[rung], job, state, demand, table)


@part  # pragma: no cover - compiled
def _count_wants(state, places):
    """Count for each rung how many of the oldest `places` jobs want it or a rung above."""
    state.older[:] = 0
    for i in range(places):
        _count_want(state, state.jobs[state.order[i]])


@part  # pragma: no cover - compiled
def _count_want(state, job):
    age = state.server.now - job.born
    rung = 1
    while state.reach_ns[job.row, rung] <= age:
        state.older[rung] += 1
        rung += 1


@once  # pragma: no cover - compiled
def _look_ahead(state, demand, table):
    """Find the next exit, the next tick at which a request may move, and the next start."""
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


@once  # pragma: no cover - compiled
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
        from_ns = time_to_make_room(state, place, job.rung, table)
        if from_ns < NEVER_NS:
            due = min(due, _tick_from(job, max(from_ns, earliest), table))
    if due <= earliest:
        due = _tick_from(job, earliest, table)
    return due


@once  # pragma: no cover - compiled
def _start_at(state, demand, table):
    """Time at which the first waiter starts, if nothing else happens."""
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
    for rung in range(_wanted_rung(state, row, age) + 1, len(table.unit_of)):
        if state.reach_ns[row, rung] < NEVER_NS and _is_open(rung, state.older, state, table):
            return demand.arrival_ns[server.started] + state.reach_ns[row, rung]
    return NEVER_NS
