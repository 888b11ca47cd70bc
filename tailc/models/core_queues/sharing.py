"""Set the frequency levels of the cores of a chip after every event of a replay, compiled."""

from __future__ import annotations

from tailc.models.core_queues.chip import NOTHING
from tailc.models.core_queues.power_limit import within_limit
from tailc.models.core_queues.running import account, run_at, set_clock, work
from tailc.models.kernel_decorators import loop, once
from tailc.models.pools import NEVER_NS

# Not inlined in the loop, because most replays have no chip.


@loop  # pragma: no cover - compiled
def share_out(state, demand, table, log):
    """Set the frequency levels of all cores of a chip, and log what the power limit changed.

    They are the levels that the hardware chose, or those that cores request, within the power
    limit.
    """
    if table.chip.every_ns == 0:
        state.server.limited = within_limit(state.cores, table)
    for number in range(len(state.cores)):
        core = state.cores[number]
        if core.held > 0:
            work(state.server.now, core)
            run_at(core.granted, number, state, demand, table, log)
        else:
            level = core.granted if core.batch_level != NOTHING else NOTHING
            if level != core.level:
                account(number, state, table, log)
                core.level = level
            if level != core.clock:
                _set_idle_clock(level, number, state, table, log)


@once  # pragma: no cover - compiled
def decide(state, chip):
    """Set the levels that hardware chooses for the chip's current state: which cores have requests.

    A sleeping core keeps its frequency.
    """
    requests = 0
    for number in range(len(state.cores)):
        requests |= (state.cores[number].held > 0) << number
    for number in range(len(state.cores)):
        if chip.chosen[requests, number] != NOTHING:
            state.cores[number].granted = chip.chosen[requests, number]
    state.server.decide_at += chip.every_ns


@once  # pragma: no cover - compiled
def rest(number, state, table, log):
    """Set a core that has no requests to the frequency level of its batch work.

    number: number of the core.
    """
    core = state.cores[number]
    core.level = NOTHING
    core.requested = core.batch_level
    core.since = state.server.now
    core.exit_at = NEVER_NS
    if not table.chip.is_shared and core.batch_level != core.clock:
        _set_idle_clock(core.batch_level, number, state, table, log)


@once  # pragma: no cover - compiled
def _set_idle_clock(level, number, state, table, log):
    """Set the clock of a core without requests."""
    changed = set_clock(level, state.cores[number], state.server, table)
    log.idle_changes[state.server.phase] += changed
