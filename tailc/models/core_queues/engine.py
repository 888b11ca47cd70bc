"""Discrete-event simulation of a tail table on cores with one queue and clock each, compiled.

**What happens** (Kasture et al., MICRO 2015, and Bartolini, 2015, section 3.4). All times are whole
nanoseconds. A request belongs to one core from its arrival. A core runs its requests one at a time
in order of arrival.

- *Instants.* Exits come before arrivals; among exits the core with the lower number goes first.
- *Frequencies.* At every arrival and exit on a core that then has a request, the core immediately
  takes the level of the table (`tailc.forms.tail_table.level_for`). The level depends on the work
  done of the running request, rounded down to 2^-20 of it, and on the ages of all its requests.
- *Progress.* At frequency f a request of C cycles and memory time M takes C / f + M. As it runs,
  its remaining cycles and remaining memory time decrease by the same fraction.
- *Sleep.* A core without requests sleeps, and the next request waits until it is awake; from the
  arrival on the core draws the power of its level. With batch work a core never sleeps: it runs
  batch work while it has no requests and stops it immediately.
- *Transitions.* After each change of its frequency a core halts: it does no work for that time and
  draws the power of the new level. The energy of the change counts for the running request. A
  change during a halt starts a new halt. A core that wakes sets its frequency meanwhile at no cost.
  With batch work a core also changes its frequency when its last request leaves.
- *Chips* (`chip`). A core without requests runs its own batch work, and a request that stops it may
  have to wait. After every event, at the same instant, each core gets the level that it requests,
  or a lower one within the chip's power limit. If hardware sets the levels, it does so
  periodically, after the events of that instant, and a core keeps its level in between.
- *Control.* Exits are counted, and the last of an epoch makes a control step before its core
  chooses a level. The new bound applies to all later choices.

**How.** Progress is counted in parts of 2^-62 of a request (`clocked`), so a change of level causes
no rounding. A request exits at the first whole nanosecond at which all its parts are done. The time
of a decision is proportional to the number of requests of the core that the table distinguishes.
"""

from __future__ import annotations

import numpy as np

from tailc.models.arriving import arrive
from tailc.models.control_law import (
    ends_epoch,
    log_step,
    measured_rate_mrps,
    measured_tail_us,
    step_controller,
    take_given_output,
)
from tailc.models.core_queues.arrays import ClockTable
from tailc.models.core_queues.level_progress import WHOLE, WHOLE_BITS
from tailc.models.core_queues.running import account, run_at, work
from tailc.models.core_queues.sharing import decide, rest, share_out
from tailc.models.core_queues.state import ClockDemand, ClockLog, empty_server
from tailc.models.integrals import BUSY, IN_SYSTEM, SPAN, THREADS
from tailc.models.kernel_decorators import loop, once, part
from tailc.models.outcome import NS_PER_US
from tailc.models.pools import NEVER_NS, PPM
from tailc.models.steering import CONTROLLED, UNSTEERED

# Progress of a request in steps of 2^-20, so that it fits into 64 bits when multiplied by cycles.
SHARE_BITS = 20


@once  # pragma: no cover - compiled
def level_by_tails(core, state, demand, table):
    """The level that the tail table gives a core with at least one request."""
    server = state.server
    top = len(table.frequency_khz) - 1
    if core.held > table.needed.shape[1]:
        return top
    share = (WHOLE - core.left) >> (WHOLE_BITS - SHARE_BITS)
    record = demand.record[core.request]
    of_cycles = _row(table.cycles_from, (demand.clocked.cycles[record] * share) >> SHARE_BITS)
    of_memory = _row(table.memory_from, (demand.clocked.memory_ns[record] * share) >> SHARE_BITS)
    level = core.least
    request = core.request
    for position in range(core.held):
        slack_ns = server.bound_ns - (server.now - demand.arrival_ns[request])
        slack_ns -= table.memory_left[of_memory, position]
        if slack_ns <= 0:
            return top
        needed = table.needed[of_cycles, position]
        while level < top and table.frequency_khz[level] * slack_ns < needed:
            level += 1
        request = state.behind[request]
    return level


@once  # pragma: no cover - compiled
def _row(froms, elapsed):
    row = 0
    while row + 1 < len(froms) and froms[row + 1] <= elapsed:
        row += 1
    return row


def replay(
    demand: ClockDemand, table: ClockTable, measured_from: int, most_in_system: int, log: ClockLog
) -> tuple[int, int]:
    """Replay the requests and fill `log`; return the numbers of arrivals and control steps.

    All requests arrive unless the server is overloaded. Then the replay stops when the system holds
    `most_in_system` requests, and those still in it have their age as latency. Integrals over time
    are separate for four phases: warm-up, both halves of the measured requests, and the time after
    the last arrival.
    """
    state = empty_server(table, len(demand.arrival_ns), measured_from)
    _run_events(state, demand, table, measured_from, most_in_system, log)
    return int(state.server["arrived"]), int(state.server["steps"])


@loop  # pragma: no cover - compiled
def _run_events(state, demand, table, measured_from, most_in_system, log):
    """Process one event after another, in the order of the module's docstring."""
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


@once  # pragma: no cover - compiled
def _begin_resting(state, demand, table, log):
    """Set the initial state: no core has requests."""
    _scale(state.server, table)
    for number in range(len(state.cores)):
        rest(number, state, table, log)
    if table.chip.is_shared:
        share_out(state, demand, table, log)


@once  # pragma: no cover - compiled
def _arrival(number, demand):
    """Time of an arrival; `NEVER_NS` after the last."""
    return demand.arrival_ns[number] if number < len(demand.arrival_ns) else NEVER_NS


@part  # pragma: no cover - compiled
def _scale(server, table):
    """Scale the bound by the output."""
    server.bound_ns = table.bound_us * server.output_ppm // (PPM // NS_PER_US)


@once  # pragma: no cover - compiled
def _wait_until(upcoming, server, log):
    """Advance the time and the integrals."""
    if upcoming == server.now:
        return
    # A float: nanoseconds times millionths exceed 64 bits within minutes.
    passed = float(upcoming - server.now)
    sums = log.integrals[server.phase]
    held_ppm = passed * PPM * server.busy
    sums[SPAN] += passed
    sums[IN_SYSTEM] += passed * server.in_system
    sums[THREADS] += held_ppm
    sums[BUSY] += held_ppm
    log.limited_ns[server.phase, server.limited] += passed
    server.now = upcoming


@once  # pragma: no cover - compiled
def _enter(state, demand, table, measured_from, log):
    """Add the next request to its core, which may change its level."""
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


@once  # pragma: no cover - compiled
def _arrive(state, demand, table, measured_from, log):
    """Count an arrival; at the start of a phase, account for the energy before."""
    server = state.server
    before = server.phase
    arrive(server, len(demand.arrival_ns), measured_from)
    after = server.phase
    if after != before:
        server.phase = before
        _account_all(state, table, log)
        server.phase = after


@part  # pragma: no cover - compiled
def _account_all(state, table, log):
    for number in range(len(state.cores)):
        account(number, state, table, log)


@once  # pragma: no cover - compiled
def _begin(request, at, core, demand, log):
    """Start a request on its core at time `at`."""
    core.request = request
    core.left = WHOLE
    core.begun = at
    core.works_from = at
    # The previous request's level is not this one's.
    core.rate = 0
    log.wait_ns[request] = at - demand.arrival_ns[request]


@once  # pragma: no cover - compiled
def _choose(number, state, demand, table, log):
    """Choose the level of a core. On a chip this is a request until all cores have chosen."""
    core = state.cores[number]
    if table.follows_tails:
        core.requested = level_by_tails(core, state, demand, table)
    else:
        core.requested = demand.level[core.request]
    if not table.chip.is_shared:
        run_at(core.requested, number, state, demand, table, log)


@once  # pragma: no cover - compiled
def _exit(state, demand, table, log):
    """Process the next exit; its core continues with its next request, if any."""
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


@once  # pragma: no cover - compiled
def _step(state, table, steps):
    server = state.server
    measured_us = measured_tail_us(state, table.steer)
    rate_mrps = measured_rate_mrps(server)
    if table.steer.law == CONTROLLED:
        step_controller(server, table.steer, measured_us, rate_mrps)
    else:
        take_given_output(server, table.steer)
    log_step(server, steps, measured_us, rate_mrps)
    _scale(server, table)


@once  # pragma: no cover - compiled
def _look_ahead(state):
    """Find the next exit."""
    server = state.server
    server.exit_at = NEVER_NS
    for number in range(len(state.cores)):
        if state.cores[number].exit_at < server.exit_at:
            server.exit_at = state.cores[number].exit_at
            server.leaver = number


@once  # pragma: no cover - compiled
def _give_up(state, demand, table, log):
    """Give every request in the system its age as latency, and as wait if it has not begun."""
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
