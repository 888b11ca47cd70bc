"""Discrete-event replay of a ladder on one server, compiled.

**What happens.** A request arrives, waits as its row says, runs, climbs, and exits when its work is
done. `in_system` counts it from arrival to exit. All times are whole nanoseconds.

- *Instants.* Events of the same instant come in this order: exits, arrivals, starts, ticks; each
  sees the `in_system` that the ones before left. Among equals the earlier arrival goes first.
- *Admission.* Every waiter reads the row of the current `in_system`, again at every arrival and
  exit. It starts as soon as its row is at-once, or its row has a delay and it has waited that long.
  So requests start in order of arrival.
- *Exits.* `in_system` falls by one. If the row before that was on-exit and a request waits, the
  first waiter starts, whatever the new row says: one start an exit. An on-exit waiter
  also starts when nothing runs, since no exit would come.
- *Ticks.* Each request has its own, at its start plus 1, 2, ... quanta. At a tick it reads the
  row of the current `in_system` with its age and climbs to the row's rung if that is higher.
  Only the ticks at which a request climbs are simulated: after each change of row the next such
  tick is known.
- *Sharing.* A running request has its rung's cost in threads. If all threads exceed the
  server's capacity, boosted threads run in full and the others share the rest equally; a
  request's work shrinks by its speed on the rung times its threads' share. A request exits at
  the first whole nanosecond at which its work is done.
- *Boosting.* A request that climbs to the last rung (one that starts there has not been raised) is
  boosted iff the boosted threads, its own included, stay strictly below the limit
  (Haque et al., ASPLOS 2015, section 4.2).

**How.** Unboosted requests progress alike, so one virtual clock, `served`, advances by their share;
a request's exit is a fixed point on it until it climbs (processor sharing in virtual time).
Boosted requests have a clock of their own. Both restart whenever the server runs empty, which
keeps their rounding small. An event costs O(running) where the row changes or a request climbs
or exits, O(1) otherwise.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tailc.replay.lowered import NEVER_NS

# A virtual clock reads up to 10^10 ns between two empty moments, so its rounding is near 10^-6 ns;
# an exit is not put off to the next nanosecond for that.
_SNAP_NS = 1e-5

# Phases of a replay: warming up, first and second half of what is measured, draining.
PHASES = 4
SPAN, IN_SYSTEM, THREADS, BUSY = range(4)


class Demand(NamedTuple):
    """Requests in order of arrival: when, how much work, and speed[curve, rung]."""

    arrival_ns: NDArray[np.int64]
    work_ns: NDArray[np.int64]
    curve: NDArray[np.int32]
    speed: NDArray[np.float64]


class Log(NamedTuple):
    """What the engine writes, by request, and the time integrals by phase.

    latency_ns, wait_ns, rung: of each request. thread_ns: sum of threads times time, in
    thread-nanoseconds. integrals: (PHASES, 4), over time: 1, requests in the system, threads,
    threads that run.
    """

    latency_ns: NDArray[np.int64]
    wait_ns: NDArray[np.int64]
    rung: NDArray[np.int32]
    thread_ns: NDArray[np.float64]
    integrals: NDArray[np.float64]


@njit(cache=True, nogil=True)
def replay(demand, table, measured_from, most_in_system, log):  # noqa: C901, PLR0912, PLR0915  # pragma: no cover - compiled
    """Fill `log`; return how many requests arrived before the system held `most_in_system`.

    That is all of them unless the server is overloaded; then the replay stops there, and requests
    still in the system have their age as latency. Integrals are taken apart before request number
    `measured_from`, up to half of the rest, up to the last arrival, and after it.
    """
    # Arrays are taken out of their tuples once: the compiler counts references at every access.
    arrival_ns, work_ns, curve, speed = demand
    latency_ns, wait_ns, final_rung, thread_ns, integrals = log
    row_of_load, on_exit, delay_ns, reach_ns, due_after_ns = table[:5]
    quantum, threads_ppm, capacity, boost_below, ages_from_arrival = table[5:]
    requests = len(arrival_ns)
    half_from = measured_from + (requests - measured_from) // 2
    last_rung = len(threads_ppm) - 1
    top_load = len(row_of_load) - 1

    # The requests that run, packed, in no order.
    who = np.empty(most_in_system, np.int64)
    begun = np.empty(most_in_system, np.int64)
    head_start = np.empty(most_in_system, np.int64)  # age at start
    due = np.empty(most_in_system, np.int64)  # the tick at which it climbs
    since = np.empty(most_in_system, np.int64)  # on its rung
    done = np.empty(most_in_system, np.float64)  # exit, on the request's virtual clock
    on = np.empty(most_in_system, np.int64)  # rung
    is_boosted = np.empty(most_in_system, np.bool_)

    running = 0
    arrived = 0
    started = 0
    released = 0  # exits that waiters on-exit have not used yet
    threads = 0  # of unboosted requests
    boosted = 0  # threads of the others
    now = 0
    served = 0.0
    served_boosted = 0.0
    row = row_of_load[0]
    phase = 0 if measured_from > 0 else 1
    leaver = -1  # who exits next among unboosted, and among boosted, requests
    favourite = -1
    climb_at = NEVER_NS

    while True:
        free = max(capacity - boosted, 0)
        share = 1.0 if threads <= free else free / threads
        boosted_share = 1.0 if boosted <= capacity else capacity / boosted

        exit_at = NEVER_NS
        exits = leaver
        if leaver >= 0 and share > 0.0:
            left = (done[leaver] - served) / share
            exit_at = now + max(np.int64(np.ceil(left - _SNAP_NS)), 0)
        if favourite >= 0:
            left = (done[favourite] - served_boosted) / boosted_share
            favourite_at = now + max(np.int64(np.ceil(left - _SNAP_NS)), 0)
            if favourite_at < exit_at:
                exit_at = favourite_at
                exits = favourite
        arrive_at = arrival_ns[arrived] if arrived < requests else NEVER_NS
        start_at = NEVER_NS
        if started < arrived:
            if released > 0 or (on_exit[row] and running == 0):
                start_at = now
            elif not on_exit[row]:
                start_at = max(now, arrival_ns[started] + delay_ns[row])

        upcoming = min(exit_at, arrive_at, start_at, climb_at)
        if upcoming == NEVER_NS:
            return arrived
        if upcoming > now:
            passed = upcoming - now
            integrals[phase, SPAN] += passed
            integrals[phase, IN_SYSTEM] += passed * (arrived - started + running)
            integrals[phase, THREADS] += passed * (threads + boosted)
            integrals[phase, BUSY] += passed * min(threads + boosted, capacity)
            served += passed * share
            served_boosted += passed * boosted_share
            now = upcoming

        if exit_at == now:
            request = who[exits]
            cost = threads_ppm[on[exits]]
            latency_ns[request] = now - arrival_ns[request]
            final_rung[request] = on[exits]
            thread_ns[request] += cost * 1e-6 * (now - since[exits])
            if is_boosted[exits]:
                boosted -= cost
            else:
                threads -= cost
            if on_exit[row] and started + released < arrived:
                released += 1
            running -= 1
            who[exits] = who[running]
            begun[exits] = begun[running]
            head_start[exits] = head_start[running]
            due[exits] = due[running]
            since[exits] = since[running]
            done[exits] = done[running]
            on[exits] = on[running]
            is_boosted[exits] = is_boosted[running]
            if running == 0:
                served = 0.0
                served_boosted = 0.0
            leaver, favourite = _next_to_exit(done, is_boosted, running)
            reads = row_of_load[min(arrived - started + running, top_load)]
            climb_at = NEVER_NS
            if reads == row:
                for i in range(running):
                    climb_at = min(climb_at, due[i])
            else:
                row = reads
                for i in range(running):
                    due[i] = _due(
                        begun[i], head_start[i], on[i], row, now, due_after_ns, reach_ns, quantum
                    )
                    climb_at = min(climb_at, due[i])
        elif arrive_at == now:
            if arrived == measured_from:
                phase = 1
            if arrived == half_from:
                phase = 2
            arrived += 1
            if arrived == requests:
                phase = 3
            in_system = arrived - started + running
            if in_system >= most_in_system:
                for i in range(running):
                    latency_ns[who[i]] = now - arrival_ns[who[i]]
                for request in range(started, arrived):
                    latency_ns[request] = now - arrival_ns[request]
                return arrived
            reads = row_of_load[min(in_system, top_load)]
            if reads != row:
                row = reads
                climb_at = NEVER_NS
                for i in range(running):
                    due[i] = _due(
                        begun[i], head_start[i], on[i], row, now, due_after_ns, reach_ns, quantum
                    )
                    climb_at = min(climb_at, due[i])
        elif start_at == now:
            request = started
            started += 1
            released = max(released - 1, 0)
            waited = now - arrival_ns[request]
            wait_ns[request] = waited
            age = waited if ages_from_arrival else 0
            rung = _rung_at(reach_ns, row, age)
            who[running] = request
            begun[running] = now
            head_start[running] = age
            since[running] = now
            on[running] = rung
            is_boosted[running] = False
            done[running] = served + work_ns[request] / speed[curve[request], rung]
            due[running] = _due(now, age, rung, row, now, due_after_ns, reach_ns, quantum)
            climb_at = min(climb_at, due[running])
            threads += threads_ppm[rung]
            if leaver < 0 or done[running] < done[leaver]:
                leaver = running
            running += 1
        else:
            i = _first_due(who, due, running, climb_at)
            request = who[i]
            rung = on[i]
            higher = _rung_at(reach_ns, row, head_start[i] + now - begun[i])
            slower = speed[curve[request], rung] / speed[curve[request], higher]
            left = (done[i] - served) * slower
            cost = threads_ppm[higher]
            thread_ns[request] += threads_ppm[rung] * 1e-6 * (now - since[i])
            threads -= threads_ppm[rung]
            since[i] = now
            on[i] = higher
            was_leaver = i == leaver
            if higher == last_rung and boosted + cost < boost_below:
                is_boosted[i] = True
                done[i] = served_boosted + left
                boosted += cost
                if favourite < 0 or done[i] < done[favourite]:
                    favourite = i
            else:
                done[i] = served + left
                threads += cost
                if done[i] < done[leaver]:
                    leaver = i
            if was_leaver:  # it may have left the unboosted, or have become slower
                leaver, favourite = _next_to_exit(done, is_boosted, running)
            due[i] = _due(
                begun[i], head_start[i], higher, row, now, due_after_ns, reach_ns, quantum
            )
            climb_at = NEVER_NS
            for k in range(running):
                climb_at = min(climb_at, due[k])


@njit(cache=True, nogil=True)
def _rung_at(reach_ns, row, age_ns):  # pragma: no cover - compiled
    rung = 0
    while reach_ns[row, rung + 1] <= age_ns:
        rung += 1
    return rung


@njit(cache=True, nogil=True)
def _due(
    begun, head_start, rung, row, now, due_after_ns, reach_ns, quantum
):  # pragma: no cover - compiled
    """The first tick from now on at which a request on `rung` climbs, if the row stays."""
    after = due_after_ns[row, rung + 1]
    if head_start > 0 and after < NEVER_NS:
        age = reach_ns[row, rung + 1] - head_start
        after = max(-(-age // quantum), 1) * quantum
    if begun + after >= now:
        return begun + after
    return begun - (begun - now) // quantum * quantum


@njit(cache=True, nogil=True)
def _first_due(who, due, running, climb_at):  # pragma: no cover - compiled
    """The earliest arrival among the requests due at `climb_at`."""
    first = -1
    for i in range(running):
        if due[i] == climb_at and (first < 0 or who[i] < who[first]):
            first = i
    return first


@njit(cache=True, nogil=True)
def _next_to_exit(done, is_boosted, running):  # pragma: no cover - compiled
    """Who exits next among unboosted and among boosted requests, -1 for nobody."""
    leaver = -1
    favourite = -1
    for i in range(running):
        if is_boosted[i]:
            if favourite < 0 or done[i] < done[favourite]:
                favourite = i
        elif leaver < 0 or done[i] < done[leaver]:
            leaver = i
    return leaver, favourite
