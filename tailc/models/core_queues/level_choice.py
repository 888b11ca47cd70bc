"""Choose a core's level by the tail table, compiled; equals `tailc.forms.tail_table.level_for`."""

from __future__ import annotations

from numba import njit

from tailc.models.core_queues.level_progress import WHOLE, WHOLE_BITS

# Progress of a request in steps of 2^-20, so that it fits into 64 bits when multiplied by cycles.
SHARE_BITS = 20

_part = njit(inline="always")


@_part  # pragma: no cover - compiled
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


@_part  # pragma: no cover - compiled
def _row(froms, elapsed):
    row = 0
    while row + 1 < len(froms) and froms[row + 1] <= elapsed:
        row += 1
    return row
