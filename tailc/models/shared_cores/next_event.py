"""Find the next exit, climb or cut-off of the running requests; compiled.

The number of jobs is read once before a loop over them, because the compiler would read it in each
iteration.
"""

from __future__ import annotations

import numpy as np

from tailc.models.integrals import NO_REQUEST
from tailc.models.kernel_decorators import once, part
from tailc.models.pools import NEVER_NS
from tailc.models.shared_cores.running import cut_at

# Work that ends this little after a whole nanosecond ends at it, so that the rounding of a virtual
# clock delays no exit. A step of the clock is that long after 45 s without an empty server.
_SNAP_NS = 1e-5


@once  # pragma: no cover - compiled
def next_exit(state):
    """Find the next exit of a request: number of its virtual clock, and time [ns].

    Each pool has a virtual clock, and boosted requests have one. NO_REQUEST and NEVER_NS if no
    request is about to exit. Also sets the rate of each clock.
    """
    now = state.server.now
    first, exit_at = NO_REQUEST, NEVER_NS
    for number in range(state.pools + 1):
        clock = state.clocks[number]
        share = 1.0 if clock.threads <= clock.supply else clock.supply / clock.threads
        clock.share = share
        if clock.leaver >= 0 and share > 0.0:
            left = (state.jobs[clock.leaver].done - clock.served) / share
            leave_at = now + _whole_ns(left)
            if leave_at < exit_at:
                first, exit_at = number, leave_at
    return first, exit_at


@once  # pragma: no cover - compiled
def _whole_ns(left):
    return max(np.int64(np.ceil(left - _SNAP_NS)), 0)


@once  # pragma: no cover - compiled
def first_due(server, jobs):
    """Of the requests that climb at the next tick of a replay, the one that arrived first."""
    first = NO_REQUEST
    running = server.running
    for i in range(running):
        is_due = jobs[i].due == server.climb_at
        if is_due and (first < 0 or jobs[i].request < jobs[first].request):
            first = i
    return first


@part  # pragma: no cover - compiled
def look_ahead(state, table):
    """Compute when the next request climbs, exits or is cut off, and write it to the state."""
    server, jobs = state.server, state.jobs
    if state.pools == 1:
        _look_at_one_pool(state)
    else:
        _look_at_pools(state)
    if table.cut_off_ns < NEVER_NS or table.cut_age_ns < NEVER_NS:
        _look_for_cut(server, jobs, table)


@once  # pragma: no cover - compiled
def _look_at_one_pool(state):
    """The same for a single pool, with intermediate results in registers."""
    climb_at, leaver, favourite = NEVER_NS, NO_REQUEST, NO_REQUEST
    jobs, running = state.jobs, state.server.running
    for i in range(running):
        climb_at = min(climb_at, jobs[i].due)
        if jobs[i].clock == 1:
            if favourite < 0 or jobs[i].done < jobs[favourite].done:
                favourite = i
        elif leaver < 0 or jobs[i].done < jobs[leaver].done:
            leaver = i
    state.server.climb_at = climb_at
    state.clocks[0].leaver = leaver
    state.clocks[1].leaver = favourite


@once  # pragma: no cover - compiled
def _look_at_pools(state):
    climb_at, jobs = NEVER_NS, state.jobs
    for number in range(state.pools + 1):
        state.clocks[number].leaver = NO_REQUEST
    for i in range(state.server.running):
        climb_at = min(climb_at, jobs[i].due)
        clock = state.clocks[jobs[i].clock]
        if clock.leaver < 0 or jobs[i].done < jobs[clock.leaver].done:
            clock.leaver = i
    state.server.climb_at = climb_at


@once  # pragma: no cover - compiled
def _look_for_cut(server, jobs, table):
    """Find the next cut-off; among equals the earlier arrival goes first."""
    server.cut_at = NEVER_NS
    for i in range(server.running):
        at = cut_at(jobs[i], table)
        is_earlier = at == server.cut_at and jobs[i].request < jobs[server.oldest].request
        if at < server.cut_at or is_earlier:
            server.oldest, server.cut_at = i, at
