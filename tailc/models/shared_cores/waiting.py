"""Waiting requests, in one queue for each ladder; compiled.

Requests are numbered in order of arrival, so a comparison of numbers shows which one came first and
which ones an exit has released.
"""

from __future__ import annotations

from tailc.models.integrals import NO_REQUEST
from tailc.models.kernel_decorators import loop, once, part
from tailc.models.pools import NEVER_NS


@loop  # pragma: no cover - compiled
def line_up(queues, following, ladder):
    """Put all requests of a replay into queues by ladder, as linked lists.

    queues: gets the first request of each queue. following: gets the next request after each.
    """
    if len(queues) == 1:
        return
    for queue in queues:
        queue.first = len(ladder)
    for request in range(len(ladder) - 1, -1, -1):
        queue = queues[ladder[request]]
        following[request] = queue.first
        queue.first = request
    for queue in queues:
        queue.unreleased = queue.first


@once  # pragma: no cover - compiled
def next_start(state, demand, table):
    """Find the waiting request that starts next, by the rules of the ladders' rows.

    Returns the number of its queue (ladder), and the time of its start; NO_REQUEST and NEVER_NS if
    no request is going to start.
    """
    chosen, start_at = NO_REQUEST, NEVER_NS
    for number in range(state.ladders):
        queue = state.queues[number]
        if queue.first >= state.server.arrived:
            continue
        at = _start_of(queue, state, demand, table)
        is_earlier = chosen >= 0 and queue.first < state.queues[chosen].first
        if at < start_at or (at == start_at and is_earlier):
            chosen, start_at = number, at
    return chosen, start_at


@once  # pragma: no cover - compiled
def _start_of(queue, state, demand, table):
    """Start time of the first waiter of a queue."""
    server = state.server
    if table.start_below_ppm > 0:
        return server.now if _in_use(state, table) < table.start_below_ppm else NEVER_NS
    is_on_exit = table.on_exit[queue.row]
    if queue.first < queue.unreleased or (is_on_exit and server.running == 0):
        return server.now
    if is_on_exit:
        return NEVER_NS
    return max(server.now, demand.arrival_ns[queue.first] + table.delay_ns[queue.row])


@once  # pragma: no cover - compiled
def _in_use(state, table):
    """Threads of all running requests in the pool that controls starts."""
    threads = state.clocks[table.start_pool].threads
    if table.start_pool == table.boost_pool:
        threads += state.clocks[state.pools].threads
    return threads


@once  # pragma: no cover - compiled
def release(state):
    """Allow the waiting request that arrived first to start, because a request has left."""
    chosen, earliest = NO_REQUEST, state.server.arrived
    for number in range(state.ladders):
        queue = state.queues[number]
        if queue.unreleased < earliest:
            chosen, earliest = number, queue.unreleased
    if chosen >= 0:
        state.queues[chosen].unreleased = next_of(earliest, state)


@part  # pragma: no cover - compiled
def next_of(request, state):
    """The next request after `request` in its queue that was not refused, by number of arrival.

    If none of those that have arrived is in the queue, the number of a later arrival, or the total
    number.
    """
    following = request + 1 if state.ladders == 1 else state.following[request]
    while following < state.server.arrived and state.is_refused[following]:
        following = following + 1 if state.ladders == 1 else state.following[following]
    return following


@once  # pragma: no cover - compiled
def leave_out(request, state):
    """Remove a refused request, which has just arrived, from its queue."""
    for number in range(state.ladders):
        queue = state.queues[number]
        if queue.first == request:
            queue.first = next_of(request, state)
        if queue.unreleased == request:
            queue.unreleased = next_of(request, state)
