"""What the cores of a chip get of it after every event, compiled."""

from __future__ import annotations

from numba import njit

from tailc.models.core_queues.chip import NOTHING
from tailc.models.core_queues.power_limit import within_limit
from tailc.models.core_queues.running import account, run_at, work
from tailc.models.pools import NEVER_NS

# Not a part of the loop: most replays are of cores that share nothing.
_kernel = njit(cache=True, nogil=True, _nrt=False)  # pyright: ignore[reportCallIssue] - not in its stubs
_part = njit(inline="always")


@_kernel  # pragma: no cover - compiled
def share_out(state, demand, table, log):
    """All cores at the levels they ask for, at what is left of them, or where hardware put them."""
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


@_part  # pragma: no cover - compiled
def decide(state, chip):
    """Hardware sets all levels by which cores have requests; one that sleeps keeps its last."""
    requests = 0
    for number in range(len(state.cores)):
        requests |= (state.cores[number].held > 0) << number
    for number in range(len(state.cores)):
        if chip.chosen[requests, number] != NOTHING:
            state.cores[number].granted = chip.chosen[requests, number]
    state.server.decide_at += chip.every_ns


@_part  # pragma: no cover - compiled
def rest(number, state):
    """A core has no request left: it asks for batch work's level, and draws nothing until then."""
    core = state.cores[number]
    core.level = NOTHING
    core.asked = core.batch_level
    core.since = state.server.now
    core.exit_at = NEVER_NS
