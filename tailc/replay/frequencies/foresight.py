"""Levels for requests whose arrivals and demands are all known: close to the least energy.

Bartolini (2015, section 3.9.1) asks of a *dynamic oracle*: the lowest frequencies with which all
requests meet the bound; then frequencies are lowered, those first that save most power and touch
the tail least, until as many requests are late as the percentile allows. How is not told. Here:

1. **Under a cap.** On each core, at the start of a request, look at those behind it, one after
   another, as far as they may hold a decision. Each has to be done by its bound: the lowest level
   with which all work up to it is done by then is *needed*. And none can begin before it arrives:
   with the lowest level at which all work before it is done by then there is time to lose above
   it. Going on until the greatest needed level reaches the least of the latter, the one that was
   there before the last look holds: the shortest path between both curves of work, which needs the
   least energy whatever convex function of the clock power is (Yao, Demers and Shenker, FOCS 1995),
   but for levels being apart. A request that needs more than the cap is late in any case, and is
   not waited for.
2. **The cap** is the lowest with which no more requests are late than allowed, found by halving:
   the highest frequencies cost most, and a cap makes those late that need them. In the end it is
   another level lower for the first requests to arrive, as many as possible, by halving the place
   `HALVINGS` times.

Where too many are late at the highest level already, all run at that.

It is close to the least energy, and proves nothing: of five requests that may all be in time it
mostly finds the best of all choices, and 5 % more in the mean.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tailc.forms.tail_table import LARGEST_BOUND_US, LARGEST_CYCLES
from tailc.percentiles import PPM
from tailc.replay.frequencies.clocked import WHOLE
from tailc.replay.frequencies.clocks import Foresight
from tailc.replay.frequencies.state import ClockDemand
from tailc.replay.frequencies.table import ClockTable
from tailc.replay.lowered import NS_PER_US

# How many requests a decision looks ahead at most; it seldom takes more than a few.
LOOK_AHEAD = 256
HALVINGS = 5
_NOBODY = -1
_PARTS_PER_CYCLE = 1_000_000
# No decision needs a longer time, and clocks times this stay within 64 bits.
_LONGEST_NS = LARGEST_BOUND_US * NS_PER_US

_part = njit(inline="always")


def foreseen_levels(
    demand: ClockDemand, table: ClockTable, rule: Foresight, measured_from: int
) -> NDArray[np.int64]:
    """The level of each request; those from number `measured_from` on are what the rule is about.

    int64 (requests,).
    """
    plan = _Plan(demand, table, rule, measured_from)
    top = len(table.frequency_khz) - 1
    if plan.late(top, 0) > plan.allowed:
        return np.full(len(demand.arrival_ns), top, np.int64)
    cap = plan.lowest_cap(top)
    plan.late(cap, plan.lower_before(cap) if cap > table.least else 0)
    return plan.level


class _Plan:
    """Levels under a cap, and how many requests are late with them."""

    def __init__(
        self, demand: ClockDemand, table: ClockTable, rule: Foresight, measured_from: int
    ) -> None:
        requests = len(demand.arrival_ns)
        self.level = np.zeros(requests, np.int64)
        self.allowed = (requests - measured_from) * (PPM - rule.percentile_ppm) // PPM
        self._first, self._behind = _queues(demand, table.cores)
        self._demand, self._table, self._from = demand, table, measured_from
        self._bound_ns = min(rule.bound_us * NS_PER_US, _LONGEST_NS)

    def late(self, cap: int, lower_before: int) -> int:
        """How many measured requests are late under the cap, one level lower for the first ones."""
        demand, table = self._demand, self._table
        queues = self._first, self._behind
        limits = self._bound_ns, cap, lower_before, self._from
        return int(_plan(demand, queues, table, limits, self.level))

    def lowest_cap(self, top: int) -> int:
        """The lowest one with which no more are late than allowed; the highest is one."""
        lowest, allowed = self._table.least, top
        while lowest < allowed:
            cap = (lowest + allowed) // 2
            if self.late(cap, 0) <= self.allowed:
                allowed = cap
            else:
                lowest = cap + 1
        return allowed

    def lower_before(self, cap: int) -> int:
        """How many of the first requests may have a cap that is one level lower."""
        held, step = 0, len(self.level)
        for _ in range(HALVINGS):
            step = -(-step // 2)
            if self.late(cap, held + step) <= self.allowed:
                held += step
        return held


def _queues(demand: ClockDemand, cores: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The first request of each core, and the next one on the same core after each."""
    order = np.argsort(demand.core, kind="stable")
    of_core = demand.core[order]
    behind = np.full(len(order), _NOBODY, np.int64)
    follows = of_core[1:] == of_core[:-1]
    behind[order[:-1][follows]] = order[1:][follows]
    first = np.full(cores, _NOBODY, np.int64)
    begins = np.flatnonzero(np.diff(of_core, prepend=_NOBODY))
    first[of_core[begins]] = order[begins]
    return first, behind


@njit(cache=True, nogil=True)
def _plan(demand, queues, table, limits, level_of):  # pragma: no cover - compiled
    """Fill in the level of each request; how many measured ones are late."""
    first, behind = queues
    bound_ns, cap, lower_before, measured_from = limits
    late = 0
    for core in range(len(first)):
        request, free_at = first[core], np.int64(_NOBODY)
        while request != _NOBODY:
            begin = free_at
            if demand.arrival_ns[request] >= free_at:
                begin = demand.arrival_ns[request] + table.wake_ns
            most = max(cap - (request < lower_before), table.least)
            level = _level(request, begin, bound_ns, most, demand, behind, table)
            rate = demand.clocked.rate[demand.record[request], level]
            level_of[request] = level
            free_at = begin + (WHOLE + rate - 1) // rate
            if request >= measured_from and free_at - demand.arrival_ns[request] > bound_ns:
                late += 1
            request = behind[request]
    return late


@_part  # pragma: no cover - compiled
def _level(request, begin, bound_ns, most, demand, behind, table):
    """The level of a request that begins now; see step 1 of the module's docstring."""
    needed, needless = table.least, most
    cycles, memory_ns = np.int64(0), np.int64(0)
    for _ in range(LOOK_AHEAD):
        record = demand.record[request]
        # Rounded up, for a late request is late by a nanosecond.
        cycles = min(cycles + demand.clocked.cycles[record] + 1, LARGEST_CYCLES)
        memory_ns += demand.clocked.memory_ns[record]
        slack_ns = demand.arrival_ns[request] + bound_ns - begin - memory_ns
        asked = _lowest(cycles, slack_ns, table)
        if asked <= most:
            if asked >= needless:
                return needless
            needed = max(needed, asked)
        request = behind[request]
        if request == _NOBODY:
            break
        gap_ns = demand.arrival_ns[request] - begin - memory_ns
        needless = min(needless, _lowest(cycles, gap_ns, table))
        if needless <= needed:
            break
    return needed


@_part  # pragma: no cover - compiled
def _lowest(cycles, time_ns, table):
    """The lowest level that does so many cycles in a time; one above the highest if none does."""
    levels = len(table.frequency_khz)
    if time_ns <= 0:
        return levels
    time_ns = min(time_ns, _LONGEST_NS)
    level = table.least
    while level < levels and table.frequency_khz[level] * time_ns < cycles * _PARTS_PER_CYCLE:
        level += 1
    return level
