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
3. **One by one.** From the highest level down, and in order of arrival, a measured request runs a
   level lower where that saves energy and no more than allowed are late then; `PASSES` times. Those
   before keep their levels: that they are late counts for nothing, and they would pile up.

Where too many are late at the highest level already, all run at that.

Where a change of frequency halts a core, a request keeps the level of the one before it if that is
what it needs without a halt, and else takes the level that it needs after one; step 3 counts the
energy of the changes before and after the request. Where changes cost anything, all requests run at
the lowest single level with which no more are late than allowed, if that draws less.

It is close to the least energy, and proves nothing: of five requests that may all be in time it
mostly finds the best of all choices, and needs 3 % more in the mean.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tailc.forms.tail_table import LARGEST_BOUND_US, LARGEST_CYCLES
from tailc.models.core_queues.arrays import ClockTable
from tailc.models.core_queues.chip import NOTHING
from tailc.models.core_queues.clocked import WHOLE
from tailc.models.core_queues.clocks import Foresight
from tailc.models.core_queues.state import ClockDemand
from tailc.models.outcome import NS_PER_US
from tailc.percentiles import PPM

# How many requests a decision looks ahead at most; it seldom takes more than a few.
LOOK_AHEAD = 256
HALVINGS = 5
PASSES = 4
_NOBODY = -1
_MW_PER_W = 1_000
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
        return plan.at_one_level(top)
    cap = plan.lowest_cap(top)
    late = plan.late(cap, plan.lower_before(cap) if cap > table.least else 0)
    plan.lower(late)
    if not table.halt_ns and not table.change_nj:
        return plan.level
    several, drawn = plan.level.copy(), plan.drawn
    one = plan.at_one_level(top)
    return one if plan.drawn < drawn else several


class _Plan:
    """Levels under a cap, and how many requests are late with them."""

    def __init__(
        self, demand: ClockDemand, table: ClockTable, rule: Foresight, measured_from: int
    ) -> None:
        requests = len(demand.arrival_ns)
        self.level = np.zeros(requests, np.int64)
        self._begin = np.zeros(requests, np.int64)
        self._clock = np.zeros(requests, np.int64)
        self.allowed = (requests - measured_from) * (PPM - rule.percentile_ppm) // PPM
        self._first, self._behind = _queues(demand, table.cores)
        self._demand, self._table, self._from = demand, table, measured_from
        self._bound_ns = min(rule.bound_us * NS_PER_US, _LONGEST_NS)

    def late(self, cap: int, lower_before: int) -> int:
        """How many measured requests are late under the cap, one level lower for the first ones."""
        demand, table = self._demand, self._table
        queues = self._first, self._behind
        limits = self._bound_ns, cap, lower_before, self._from
        return int(_plan(demand, queues, table, limits, self._levels))

    def lower(self, late: int) -> None:
        """Levels one lower for single requests, of which so many are late now."""
        limits = self._bound_ns, self.allowed, self._from
        for _ in range(PASSES):
            parts = self._demand, self._behind, self._table, limits, self._levels
            late, lowered = _lower(*parts, late)
            if not lowered:
                return

    def at_one_level(self, top: int) -> NDArray[np.int64]:
        """All at the lowest with which no more are late than allowed, at the highest if none."""
        lowest, highest = self._table.least, top
        while lowest < highest:
            level = (lowest + highest) // 2
            if self._late_at(level) <= self.allowed:
                highest = level
            else:
                lowest = level + 1
        self._late_at(highest)
        return self.level

    def _late_at(self, level: int) -> int:
        queues = self._first, self._behind
        limits = self._bound_ns, level, 0, self._from
        table = self._table._replace(least=level)
        return int(_plan(self._demand, queues, table, limits, self._levels))

    @property
    def drawn(self) -> float:
        """Energy of all requests, in mW ns."""
        return float(_total_drawn(self._demand, self._table, self._levels))

    @property
    def _levels(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Of each request its level, when it begins, and at which clock its core then is."""
        return self.level, self._begin, self._clock

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
def _plan(demand, queues, table, limits, levels):  # pragma: no cover - compiled
    """Fill in the level of each request, and when it begins; how many measured ones are late."""
    level_of, begin_of, clock_of = levels
    first, behind = queues
    bound_ns, cap, lower_before, measured_from = limits
    late = 0
    for core in range(len(first)):
        request, free_at = first[core], np.int64(_NOBODY)
        level = table.chip.batch_level[core]
        while request != _NOBODY:
            begin, clock = _begin(request, free_at, level, demand, table)
            most = max(cap - (request < lower_before), table.least)
            level = _level(request, begin, bound_ns, most, demand, behind, table)
            halt_ns = _halt_ns(clock, level, table)
            if halt_ns > 0:
                level = _level(request, begin + halt_ns, bound_ns, most, demand, behind, table)
            level_of[request], begin_of[request], clock_of[request] = level, begin, clock
            free_at = _end(request, level, begin, clock, demand, table)
            if request >= measured_from and free_at - demand.arrival_ns[request] > bound_ns:
                late += 1
            request = behind[request]
    return late


@_part  # pragma: no cover - compiled
def _begin(request, free_at, level, demand, table):
    """When a request begins on a core that is done with the one before at `free_at` and that level,
    and the clock of the core then: NOTHING where it slept. A halt before batch work counts in full.
    """
    arrival_ns, batch_level = demand.arrival_ns[request], table.chip.batch_level[0]
    if arrival_ns < free_at:
        return free_at, level
    if batch_level == NOTHING:
        return arrival_ns + table.wake_ns, np.int64(NOTHING)
    return max(arrival_ns, free_at + _halt_ns(level, batch_level, table)), batch_level


@_part  # pragma: no cover - compiled
def _halt_ns(clock, level, table):
    """How long a core halts at a change from one level to another."""
    return table.halt_ns if clock not in (NOTHING, level) else np.int64(0)


@_part  # pragma: no cover - compiled
def _end(request, level, begin, clock, demand, table):
    """When a request that begins on a core of that clock ends at a level."""
    return begin + _halt_ns(clock, level, table) + _whole_ns(request, level, demand)


@_part  # pragma: no cover - compiled
def _whole_ns(request, level, demand):
    """How long a request runs at a level."""
    rate = demand.clocked.rate[demand.record[request], level]
    return (WHOLE + rate - 1) // rate


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


@njit(cache=True, nogil=True)
def _lower(demand, behind, table, limits, levels, late):  # pragma: no cover - compiled
    """Step 3 of the module's docstring; how many are late then, and how many run lower."""
    level_of = levels[0]
    bound_ns, allowed, measured_from = limits
    lowered = 0
    for level in range(len(table.frequency_khz) - 1, table.least, -1):
        for request in range(measured_from, len(level_of)):
            if level_of[request] == level and _saves(request, demand, behind, table, levels):
                room = allowed - late
                parts = demand, behind, table, (bound_ns, room, measured_from), levels
                more = _more_late(request, level - 1, parts)
                if more <= room:
                    late += more
                    lowered += 1
                    _shift(request, level - 1, parts)
    return late, lowered


@_part  # pragma: no cover - compiled
def _saves(request, demand, behind, table, levels):
    """Whether a request draws less at the next lower level, with changes before and after it."""
    level = levels[0][request]
    now = _drawn(request, level, demand, behind, table, levels)
    return _drawn(request, level - 1, demand, behind, table, levels) < now


@_part  # pragma: no cover - compiled
def _drawn(request, level, demand, behind, table, levels):
    """Energy of a request at a level and of the changes before and after it, in mW ns."""
    level_of, _, clock_of = levels
    drawn = table.power_mw[level] * _whole_ns(request, level, demand)
    drawn += _change_mwns(clock_of[request], level, table)
    following = behind[request]
    if following != _NOBODY and clock_of[following] == level_of[request]:
        drawn += _change_mwns(level, level_of[following], table)
    return drawn


@_part  # pragma: no cover - compiled
def _change_mwns(clock, level, table):
    """Energy of a change from one level to another, with what the core draws while it halts."""
    if clock in (NOTHING, level):
        return np.int64(0)
    return table.power_mw[level] * table.halt_ns + table.change_nj * _MW_PER_W


@njit(cache=True, nogil=True)
def _total_drawn(demand, table, levels):  # pragma: no cover - compiled
    """Energy of all requests with the changes before them, in mW ns."""
    level_of, _, clock_of = levels
    drawn = 0.0
    for request in range(len(level_of)):
        level = level_of[request]
        drawn += table.power_mw[level] * _whole_ns(request, level, demand)
        drawn += _change_mwns(clock_of[request], level, table)
    return drawn


@_part  # pragma: no cover - compiled
def _more_late(request, level, parts):
    """How many more are late with a request at a level; too many as soon as there is no room."""
    demand, behind, table, limits, levels = parts
    level_of, begin_of, clock_of = levels
    bound_ns, room, measured_from = limits
    more, begin, clock = 0, begin_of[request], clock_of[request]
    before, free_at = _ends(request, level, begin, clock, demand, table, levels)
    while True:
        if request >= measured_from:
            due = demand.arrival_ns[request] + bound_ns
            more += int(free_at > due) - int(before > due)
        request = behind[request]
        if more > room or request == _NOBODY:
            return more
        begin, clock = _begin(request, free_at, level, demand, table)
        if begin == begin_of[request] and clock == clock_of[request]:
            return more
        level = level_of[request]
        before, free_at = _ends(request, level, begin, clock, demand, table, levels)


@_part  # pragma: no cover - compiled
def _ends(request, level, begin, clock, demand, table, levels):
    """When a request ends as things are, and when at another level or begun otherwise."""
    level_of, begin_of, clock_of = levels
    was = begin_of[request], clock_of[request]
    before = _end(request, level_of[request], was[0], was[1], demand, table)
    return before, _end(request, level, begin, clock, demand, table)


@_part  # pragma: no cover - compiled
def _shift(request, level, parts):
    """Let a request run at a level, and those behind it begin when they then do."""
    demand, behind, table, _, levels = parts
    level_of, begin_of, clock_of = levels
    level_of[request] = level
    free_at = _end(request, level, begin_of[request], clock_of[request], demand, table)
    request = behind[request]
    while request != _NOBODY:
        begin, clock = _begin(request, free_at, level, demand, table)
        if begin == begin_of[request] and clock == clock_of[request]:
            return
        begin_of[request], clock_of[request] = begin, clock
        level = level_of[request]
        free_at = _end(request, level, begin, clock, demand, table)
        request = behind[request]
