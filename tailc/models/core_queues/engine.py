"""Discrete-event replay of a tail table on cores with a clock each, compiled.

**What happens** (Kasture et al., MICRO 2015, and Bartolini, 2015, section 3.4). All times are whole
nanoseconds. A request is on one core from its arrival, and requests of a core run one at a time, in
order of arrival.

- *Instants.* Exits come before arrivals; among exits the core of the lower number goes first.
- *Frequencies.* At every arrival and every exit on a core that then has a request, the core takes
  the level that the table says (`tailc.forms.tail_table.level_for`), at once: what it has done of
  the running request counts, rounded down to 2^-20 of the request, and the ages of all it holds.
- *Progress.* At the clock f a request takes C / f + M, and of what is left of it cycles and memory
  time shrink in proportion.
- *Sleep.* A core without requests sleeps, and the next one waits until it is awake; from its
  arrival on the core draws the power of its level. With batch work a core never sleeps: it does
  batch work while it has no requests, and leaves it at once.
- *Transitions.* After each change of its frequency a core halts: it does no work for that time, and
  draws the power of the new level. The energy of the change counts as that of the request that
  runs. A change during a halt begins a new one. A core that wakes sets its frequency meanwhile, at
  no cost. With batch work a core changes its frequency too when its last request leaves.
- *Chips* (`chip`). A core without requests does its own batch work, and a request that stops it may
  wait for it. After every event, no time later, all cores get the levels that they ask for, or what
  the chip's limit leaves of them. Where hardware sets the levels it does so every so often, after
  the events of that instant, and a core keeps its level in between, whatever it then runs.
- *Control.* Exits are counted, and the last of an epoch takes a step before its core chooses a
  level. The new bound holds wherever a level is chosen from then on.

**How.** Parts of a request are counted in 2^-62 (`clocked`), so that no change of level rounds;
an exit comes at the first whole nanosecond at which all parts are done. A decision takes as long as
the core holds requests, up to the positions of the table.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from tailc.models.arriving import arrive
from tailc.models.control_law import (
    controlled,
    ends_epoch,
    given,
    log_step,
    measured_rate_mrps,
    measured_tail_us,
)
from tailc.models.core_queues.arrays import ClockTable
from tailc.models.core_queues.clocked import WHOLE
from tailc.models.core_queues.level_choice import level_by_tails
from tailc.models.core_queues.running import account, run_at, work
from tailc.models.core_queues.sharing import decide, rest, share_out
from tailc.models.core_queues.state import ClockDemand, ClockLog, empty_server
from tailc.models.integrals import BUSY, IN_SYSTEM, SPAN, THREADS
from tailc.models.outcome import NS_PER_US
from tailc.models.pools import NEVER_NS, PPM
from tailc.models.steering import CONTROLLED, UNSTEERED

# As in the engine for threads: nothing is allocated in the loop.
_loop = njit(cache=True, nogil=True, _nrt=False)  # pyright: ignore[reportCallIssue] - not in its stubs
_part = njit(inline="always")


def replay(
    demand: ClockDemand, table: ClockTable, measured_from: int, most_in_system: int, log: ClockLog
) -> tuple[int, int]:
    """Fill `log`; return how many requests arrived before the system held `most_in_system`, and
    how many steps were taken.

    That is all of them unless the server is overloaded; then the replay is given up there, and
    requests still in the system have their age as latency. Phases are as for threads.
    """
    state = empty_server(table, len(demand.arrival_ns), measured_from)
    _run(state, demand, table, measured_from, most_in_system, log)
    return int(state.server["arrived"]), int(state.server["steps"])


@_loop  # pragma: no cover - compiled
def _run(state, demand, table, measured_from, most_in_system, log):
    """One event after another, in the order of the module's docstring."""
    server = state.server
    _begin_resting(state, demand, table, log)
    while True:
        upcoming = min(server.exit_at, _arrival(server.arrived, demand))
        if upcoming == NEVER_NS:
            _account_all(state, table, log)
            return
        is_decision = server.decide_at < upcoming
        if is_decision:
            upcoming = server.decide_at
        _wait_until(upcoming, server, log)
        if is_decision:
            decide(state, table.chip)
        elif server.exit_at == upcoming:
            _exit(state, demand, table, log)
        else:
            _enter(state, demand, table, measured_from, log)
        if table.chip.is_shared:
            share_out(state, demand, table, log)
        if server.in_system >= most_in_system:
            _give_up(state, demand, table, log)
            return
        _look_ahead(state)


@_part  # pragma: no cover - compiled
def _begin_resting(state, demand, table, log):
    """No core has requests yet."""
    _scale(state.server, table)
    for number in range(len(state.cores)):
        rest(number, state, table, log)
    if table.chip.is_shared:
        share_out(state, demand, table, log)


@_part  # pragma: no cover - compiled
def _arrival(number, demand):
    """When a request arrives; never after the last."""
    return demand.arrival_ns[number] if number < len(demand.arrival_ns) else NEVER_NS


@_part  # pragma: no cover - compiled
def _scale(server, table):
    """The bound, as the output scales it."""
    server.bound_ns = table.bound_us * server.output_ppm // (PPM // NS_PER_US)


@_part  # pragma: no cover - compiled
def _wait_until(upcoming, server, log):
    """Let time pass: the integrals."""
    if upcoming == server.now:
        return
    # A float: nanoseconds times millionths outgrow 64 bits within minutes.
    passed = float(upcoming - server.now)
    sums = log.integrals[server.phase]
    held_ppm = passed * PPM * server.busy
    sums[SPAN] += passed
    sums[IN_SYSTEM] += passed * server.in_system
    sums[THREADS] += held_ppm
    sums[BUSY] += held_ppm
    log.limited_ns[server.phase, server.limited] += passed
    server.now = upcoming


@_part  # pragma: no cover - compiled
def _enter(state, demand, table, measured_from, log):
    """The next request is on its core, which may choose another level."""
    server = state.server
    request = server.arrived
    _arrive(state, demand, table, measured_from, log)
    number = demand.core[request]
    core = state.cores[number]
    if core.held == 0:
        account(number, state, table, log)
        core.last = request
        server.busy += 1
        _begin(request, server.now + core.takes_ns, core, demand, log)
    else:
        state.behind[core.last] = request
        core.last = request
        work(server.now, core)
    core.held += 1
    _choose(number, state, demand, table, log)


@_part  # pragma: no cover - compiled
def _arrive(state, demand, table, measured_from, log):
    """Count an arrival; where it begins a phase, what was drawn belongs to the one before."""
    server = state.server
    before = server.phase
    arrive(server, len(demand.arrival_ns), measured_from)
    after = server.phase
    if after != before:
        server.phase = before
        _account_all(state, table, log)
        server.phase = after


@_part  # pragma: no cover - compiled
def _account_all(state, table, log):
    for number in range(len(state.cores)):
        account(number, state, table, log)


@_part  # pragma: no cover - compiled
def _begin(request, at, core, demand, log):
    """A request is the one that runs, from `at` on."""
    core.request = request
    core.left = WHOLE
    core.begun = at
    core.works_from = at
    # Whatever its level is, it is not set.
    core.rate = 0
    log.wait_ns[request] = at - demand.arrival_ns[request]


@_part  # pragma: no cover - compiled
def _choose(number, state, demand, table, log):
    """The level from now on; on a chip it is asked for, and set when all cores are heard."""
    core = state.cores[number]
    if table.follows_tails:
        core.asked = level_by_tails(core, state, demand, table)
    else:
        core.asked = demand.level[core.request]
    if not table.chip.is_shared:
        run_at(core.asked, number, state, demand, table, log)


@_part  # pragma: no cover - compiled
def _exit(state, demand, table, log):
    """The next to leave does; its core goes on with the next, or has none."""
    server = state.server
    number = server.leaver
    core = state.cores[number]
    request = core.request
    account(number, state, table, log)
    latency_ns = server.now - demand.arrival_ns[request]
    log.latency_ns[request] = latency_ns
    log.rung[request] = core.level
    log.busy_ns[request] = server.now - core.begun
    server.in_system -= 1
    core.held -= 1
    if table.steer.law != UNSTEERED and ends_epoch(state, table.steer, latency_ns):
        _step(state, table, log.steps)
    if core.held > 0:
        _begin(state.behind[request], server.now, core, demand, log)
        _choose(number, state, demand, table, log)
    else:
        server.busy -= 1
        rest(number, state, table, log)


@_part  # pragma: no cover - compiled
def _step(state, table, steps):
    server = state.server
    measured_us = measured_tail_us(state, table.steer)
    rate_mrps = measured_rate_mrps(server)
    if table.steer.law == CONTROLLED:
        controlled(server, table.steer, measured_us, rate_mrps)
    else:
        given(server, table.steer)
    log_step(server, steps, measured_us, rate_mrps)
    _scale(server, table)


@_part  # pragma: no cover - compiled
def _look_ahead(state):
    """Who exits next."""
    server = state.server
    server.exit_at = NEVER_NS
    for number in range(len(state.cores)):
        if state.cores[number].exit_at < server.exit_at:
            server.exit_at = state.cores[number].exit_at
            server.leaver = number


@_part  # pragma: no cover - compiled
def _give_up(state, demand, table, log):
    """Every request in the system has its age as latency, and as wait if it has not begun."""
    server = state.server
    _account_all(state, table, log)
    for number in range(len(state.cores)):
        core = state.cores[number]
        request = core.request
        for position in range(core.held):
            log.latency_ns[request] = server.now - demand.arrival_ns[request]
            if position > 0 or core.begun > server.now:
                log.wait_ns[request] = log.latency_ns[request]
            request = state.behind[request]
        if core.held > 0:
            log.rung[core.request] = core.level
            log.busy_ns[core.request] = max(server.now - core.begun, np.int64(0))
