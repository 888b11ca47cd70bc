"""Repeat every look-up of OLD's replay in NEW's table at the same moment; compiled.

The history is that of OLD: the number in the system, and which requests wait or run. At each
look-up of a request, NEW's table is looked up, too. The first answer with another effect is
recorded, and the request is then ignored, because this history does not show what it would have
done under NEW. A queue that only changes its order does not count as a change.

A waiting request looks up whether to start at every arrival and exit, and when a delay ends. It
looks up its rung at its start and at each of its own ticks. The order of events at one instant, and
the behaviour of requests that wait for an exit, are those of `tailc.models.shared_cores.engine`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tailc.models.pools import NEVER_NS
from tailc.models.shared_cores.arrays import LadderArrays

_kernel = njit(cache=True, nogil=True)
_part = njit(inline="always")

# Causes of a changed decision.
SAME, STARTS_EARLIER, STARTS_LATER, FIRST_RUNG, CLIMBS_EARLIER, CLIMBS_LATER = range(6)


class History(NamedTuple):
    """Replay of the old policy of a comparison, as arrays with one item per request by arrival.

    old_ladder, new_ladder: number of the request's ladder in the tables of either policy. All
    requests have exited; exit_ns is one past the last time at which a request could be looked up.
    """

    arrival_ns: NDArray[np.int64]
    start_ns: NDArray[np.int64]
    exit_ns: NDArray[np.int64]
    old_ladder: NDArray[np.int32]
    new_ladder: NDArray[np.int32]


class FirstDifferences(NamedTuple):
    """The first changed decision of each request: its cause, time, and number in the system.

    All arrays have one item per request. old_rung, new_rung: the rungs that the two policies look
    up, if the decision is on a rung.
    """

    what: NDArray[np.int8]
    at_ns: NDArray[np.int64]
    load: NDArray[np.int64]
    old_rung: NDArray[np.int32]
    new_rung: NDArray[np.int32]


def find_differences(history: History, old: LadderArrays, new: LadderArrays) -> FirstDifferences:
    """Find the first decision of NEW that differs from OLD's, for every request."""
    requests = len(history.arrival_ns)
    noted = FirstDifferences(
        np.zeros(requests, np.int8),
        np.zeros(requests, np.int64),
        np.zeros(requests, np.int64),
        np.zeros(requests, np.int32),
        np.zeros(requests, np.int32),
    )
    exits_ns = np.sort(history.exit_ns)
    _check_starts(history, exits_ns, np.sort(history.start_ns), new, noted)
    _check_rungs(history, exits_ns, old, new, noted)
    return noted


@_kernel  # pragma: no cover - compiled
def _check_starts(history, exits_ns, starts_ns, new, noted):
    """Check whether a waiter would start, or a starting request would wait."""
    requests = len(exits_ns)
    waiting = np.empty(requests, np.int64)
    released_at = np.full(requests, -1, np.int64)
    is_blocked = np.zeros(len(new.row_of_load), np.bool_)
    waiters = arrived = started = exited = 0
    while started < requests:
        now = _next(arrived, started, exited, history.arrival_ns, starts_ns, exits_ns)
        while exited < requests and exits_ns[exited] == now:
            _release(now, waiting[:waiters], released_at)
            exited += 1
        while arrived < requests and history.arrival_ns[arrived] == now:
            waiting[waiters] = arrived
            waiters += 1
            arrived += 1
        load = arrived - exited
        remaining = 0
        is_blocked[:] = False
        for place in range(waiters):
            request = waiting[place]
            ladder = history.new_ladder[request]
            row = _row(new, ladder, load)
            starts = history.start_ns[request] == now
            may = released_at[request] == now
            if new.on_exit[row]:
                may |= started == exited and not is_blocked[ladder]
            else:
                may |= now >= history.arrival_ns[request] + new.delay_ns[row]
            if noted.what[request] == SAME and may != starts:
                _note(noted, request, STARTS_LATER if starts else STARTS_EARLIER, now, load)
            if starts:
                started += 1
            else:
                waiting[remaining] = request
                remaining += 1
                is_blocked[ladder] = True
        waiters = remaining
        until = _next(arrived, started, exited, history.arrival_ns, starts_ns, exits_ns)
        _end_delays(until, load, waiting[:waiters], history, new, noted)


@_part  # pragma: no cover - compiled
def _next(arrived, started, exited, arrival_ns, starts_ns, exits_ns):
    """The next instant with an event."""
    now = NEVER_NS
    if arrived < len(arrival_ns):
        now = arrival_ns[arrived]
    if started < len(starts_ns):
        now = min(now, starts_ns[started])
    if exited < len(exits_ns):
        now = min(now, exits_ns[exited])
    return now


@_part  # pragma: no cover - compiled
def _release(now, waiting, released_at):
    """Let the first waiter start at an exit."""
    for request in waiting:
        if released_at[request] != now:
            released_at[request] = now
            break


@_part  # pragma: no cover - compiled
def _end_delays(until, load, waiting, history, new, noted):
    """Note delays that end between events; one that ends at an event is looked up there."""
    for request in waiting:
        row = _row(new, history.new_ladder[request], load)
        at = history.arrival_ns[request] + new.delay_ns[row]
        if noted.what[request] == SAME and not new.on_exit[row] and at < until:
            _note(noted, request, STARTS_EARLIER, at, load)


@_kernel  # pragma: no cover - compiled
def _check_rungs(history, exits_ns, old, new, noted):
    """Check whether a request's rung would differ at its start and at its ticks."""
    last = len(old.threads_ppm) - 1
    for request in range(len(exits_ns)):
        if noted.what[request] != SAME:
            continue
        start = history.start_ns[request]
        waited = start - history.arrival_ns[request]
        old_age = waited if old.ages_from_arrival else 0
        new_age = waited if new.ages_from_arrival else 0
        arrived = np.searchsorted(history.arrival_ns, start, side="right")
        exited = np.searchsorted(exits_ns, start, side="right")
        old_row = _row(old, history.old_ladder[request], arrived - exited)
        new_row = _row(new, history.new_ladder[request], arrived - exited)
        rung = 0
        now = start
        # No row climbs beyond the last rung.
        while now < history.exit_ns[request] and rung < last:
            while arrived < len(exits_ns) and history.arrival_ns[arrived] <= now:
                arrived += 1
            while exited < len(exits_ns) and exits_ns[exited] <= now:
                exited += 1
            load = arrived - exited
            if not old.keeps_row:
                old_row = _row(old, history.old_ladder[request], load)
            if not new.keeps_row:
                new_row = _row(new, history.new_ladder[request], load)
            older = max(rung, _rung_at(old, old_row, old_age + now - start))
            newer = max(rung, _rung_at(new, new_row, new_age + now - start))
            if older != newer:
                what = CLIMBS_EARLIER if newer > older else CLIMBS_LATER
                _note(noted, request, FIRST_RUNG if now == start else what, now, load)
                noted.old_rung[request] = older
                noted.new_rung[request] = newer
                break
            rung = older
            now += old.quantum_ns


@_part  # pragma: no cover - compiled
def _row(table, ladder, load):
    return table.row_of_load[ladder, min(load, table.row_of_load.shape[1] - 1)]


@_part  # pragma: no cover - compiled
def _rung_at(table, row, age_ns):
    rung = 0
    while table.reach_ns[row, rung + 1] <= age_ns:
        rung += 1
    return rung


@_part  # pragma: no cover - compiled
def _note(noted, request, what, now, load):
    noted.what[request] = what
    noted.at_ns[request] = now
    noted.load[request] = load
