"""Choose a frequency level for each request with all arrivals and demands known, at little energy.

Bartolini (2015, section 3.9.1) describes a *dynamic oracle*: take the lowest frequencies at which
all requests meet the bound, then lower frequencies, first those that save most power and affect the
tail least, until as many requests are late as the percentile allows. The source does not say how.
This module does it in three steps:

1. **Under a cap.** On each core, at the start of a request, look at the requests behind it, one by
   one, as far as they may affect the decision. Each must finish by its bound: the lowest level that
   finishes all work up to it in time is *needed*. And no request can begin before it arrives: a
   level above the lowest one that finishes all work before it by then would waste time. Continue
   until the greatest needed level reaches the least of the latter levels, then take the one that
   held before the last look. This is the shortest path between the two curves of work, which needs
   the least energy for any convex power function (Yao, Demers and Shenker, FOCS 1995), apart from
   the gaps between levels. A request that needs more than the cap is late in any case; the others
   do not wait for it.
2. **The cap** is the lowest at which no more requests are late than allowed, found by bisection:
   the highest frequencies cost most, and a cap makes exactly the requests late that need them. The
   cap is then one level lower for as many of the first arrivals as possible, found by `HALVINGS`
   bisection steps.
3. **One by one.** From the highest level down and in order of arrival, each measured request runs
   one level lower if that saves energy and no more requests than allowed are then late; `PASSES`
   times. Requests of the warm-up keep their levels: their lateness does not count, so without this
   rule they would pile up.

If too many requests are late even at the highest level, all requests run at it.

If a change of frequency halts a core, a request keeps the level of the one before it if that level
suffices without a halt, and otherwise takes the level that it needs after one. Step 3 counts the
energy of the changes before and after the request, also those to and from batch work if the core
does some before the next request. If changes cost anything, all requests run at the lowest single
level with no more late requests than allowed, if that draws less.

The result is close to the least energy but is not proved optimal: for five requests that may all be
in time it usually finds the best choice, and needs 3 % more energy on average.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tailc.forms.tail_table import LARGEST_BOUND_US, LARGEST_CYCLES
from tailc.models.core_queues.arrays import ClockTable
from tailc.models.core_queues.chip import NOTHING
from tailc.models.core_queues.clocks import ClairvoyantRule
from tailc.models.core_queues.level_progress import WHOLE
from tailc.models.core_queues.state import ClockDemand
from tailc.models.kernel_decorators import part
from tailc.models.outcome import NS_PER_US
from tailc.percentiles import PPM

# Most requests that a decision looks ahead; more than a few are rare.
LOOK_AHEAD = 256
HALVINGS = 5
PASSES = 4
_NO_REQUEST = -1
_MW_PER_W = 1_000
_PARTS_PER_CYCLE = 1_000_000
# No decision covers a longer time, and clocks times this fit into 64 bits.
_LONGEST_NS = LARGEST_BOUND_US * NS_PER_US


def clairvoyant_levels(
    demand: ClockDemand, table: ClockTable, rule: ClairvoyantRule, measured_from: int
) -> NDArray[np.int64]:
    """Choose the frequency level of each request with the future known, int64 (requests,).

    The rule applies to the requests from number `measured_from` on.
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
    several, energy_mwns = plan.level.copy(), plan.energy_mwns
    one = plan.at_one_level(top)
    return one if plan.energy_mwns < energy_mwns else several


class _Plan:
    """Levels under a cap, and the number of requests that are late with them."""

    def __init__(
        self, demand: ClockDemand, table: ClockTable, rule: ClairvoyantRule, measured_from: int
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
        """Number of late measured requests under the cap.

        The first `lower_before` requests have a cap that is one level lower.
        """
        demand, table = self._demand, self._table
        queues = self._first, self._behind
        limits = self._bound_ns, cap, lower_before, self._from
        return int(_plan(demand, queues, table, limits, self._levels))

    def lower(self, late: int) -> None:
        """Lower single requests by one level each; `late` is the number of late requests before."""
        limits = self._bound_ns, self.allowed, self._from
        for _ in range(PASSES):
            parts = self._demand, self._behind, self._table, limits, self._levels
            late, lowered = _lower(*parts, late)
            if not lowered:
                return

    def at_one_level(self, top: int) -> NDArray[np.int64]:
        """Levels if all requests run at one: the lowest with few enough late requests.

        That is the highest level if none has.
        """
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
    def energy_mwns(self) -> float:
        """Energy of all requests [mW ns]."""
        return float(_total_energy(self._demand, self._behind, self._table, self._levels))

    @property
    def _levels(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Level of each request, its start time, and the level of its core's clock at that time."""
        return self.level, self._begin, self._clock

    def lowest_cap(self, top: int) -> int:
        """The lowest cap with no more late requests than allowed, at most `top`."""
        lowest, allowed = self._table.least, top
        while lowest < allowed:
            cap = (lowest + allowed) // 2
            if self.late(cap, 0) <= self.allowed:
                allowed = cap
            else:
                lowest = cap + 1
        return allowed

    def lower_before(self, cap: int) -> int:
        """Number of the first requests whose cap can be one level lower."""
        held, step = 0, len(self.level)
        for _ in range(HALVINGS):
            step = -(-step // 2)
            if self.late(cap, held + step) <= self.allowed:
                held += step
        return held


def _queues(demand: ClockDemand, cores: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The first request of each core, and for each request the next one on its core."""
    order = np.argsort(demand.core, kind="stable")
    of_core = demand.core[order]
    behind = np.full(len(order), _NO_REQUEST, np.int64)
    follows = of_core[1:] == of_core[:-1]
    behind[order[:-1][follows]] = order[1:][follows]
    first = np.full(cores, _NO_REQUEST, np.int64)
    begins = np.flatnonzero(np.diff(of_core, prepend=_NO_REQUEST))
    first[of_core[begins]] = order[begins]
    return first, behind


@njit(cache=True, nogil=True)
def _plan(demand, queues, table, limits, levels):  # pragma: no cover - compiled
    """Fill in the level and start time of each request; return the number of late measured ones."""
    level_of, begin_of, clock_of = levels
    first, behind = queues
    bound_ns, cap, lower_before, measured_from = limits
    late = 0
    for core in range(len(first)):
        request, free_at = first[core], np.int64(_NO_REQUEST)
        level = table.chip.batch_level[core]
        while request != _NO_REQUEST:
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


@part  # pragma: no cover - compiled
def _begin(request, free_at, level, demand, table):
    """Start time of a request on its core, and the level of the core's clock at that time.

    The core ends the request before at `free_at` at `level`. The level is NOTHING if the core
    slept. A halt before batch work counts in full.
    """
    arrival_ns, batch_level = demand.arrival_ns[request], table.chip.batch_level[0]
    if arrival_ns < free_at:
        return free_at, level
    if batch_level == NOTHING:
        return arrival_ns + table.wake_ns, np.int64(NOTHING)
    return max(arrival_ns, free_at + _halt_ns(level, batch_level, table)), batch_level


@part  # pragma: no cover - compiled
def _halt_ns(clock, level, table):
    """How long a core halts at a change from one level to another [ns]."""
    return table.halt_ns if clock not in (NOTHING, level) else np.int64(0)


@part  # pragma: no cover - compiled
def _end(request, level, begin, clock, demand, table):
    """End of a request that begins on a core at a given clock and runs at a level."""
    return begin + _halt_ns(clock, level, table) + _whole_ns(request, level, demand)


@part  # pragma: no cover - compiled
def _whole_ns(request, level, demand):
    """Run time of a request at a level, in whole ns."""
    rate = demand.clocked.rate[demand.record[request], level]
    return (WHOLE + rate - 1) // rate


@part  # pragma: no cover - compiled
def _level(request, begin, bound_ns, most, demand, behind, table):
    """Level of a request that begins now; see step 1 of the module's docstring."""
    needed, needless = table.least, most
    cycles, memory_ns = np.int64(0), np.int64(0)
    for _ in range(LOOK_AHEAD):
        record = demand.record[request]
        # Rounded up, because one nanosecond makes a request late.
        cycles = min(cycles + demand.clocked.cycles[record] + 1, LARGEST_CYCLES)
        memory_ns += demand.clocked.memory_ns[record]
        slack_ns = demand.arrival_ns[request] + bound_ns - begin - memory_ns
        lowest = _lowest(cycles, slack_ns, table)
        if lowest <= most:
            if lowest >= needless:
                return needless
            needed = max(needed, lowest)
        request = behind[request]
        if request == _NO_REQUEST:
            break
        gap_ns = demand.arrival_ns[request] - begin - memory_ns
        needless = min(needless, _lowest(cycles, gap_ns, table))
        if needless <= needed:
            break
    return needed


@part  # pragma: no cover - compiled
def _lowest(cycles, time_ns, table):
    """The lowest level that does `cycles` in a time; one above the highest if none does."""
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
    """Do step 3 of the module's docstring; return the number late, and the number lowered."""
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


@part  # pragma: no cover - compiled
def _saves(request, demand, behind, table, levels):
    """Whether a request with the changes before and after it draws less one level lower."""
    level = levels[0][request]
    now = _energy_of(request, level, demand, behind, table, levels)
    return _energy_of(request, level - 1, demand, behind, table, levels) < now


@part  # pragma: no cover - compiled
def _energy_of(request, level, demand, behind, table, levels):
    """Energy of a request at a level, and of the changes before and after it [mW ns]."""
    level_of, _, clock_of = levels
    energy_mwns = table.power_mw[level] * _whole_ns(request, level, demand)
    energy_mwns += _change_mwns(clock_of[request], level, table)
    following, clock = behind[request], level
    if _rests(request, level, demand, behind, table, levels):
        clock = table.chip.batch_level[0]
        energy_mwns += _to_batch_mwns(level, table)
    if following != _NO_REQUEST:
        energy_mwns += _change_mwns(clock, level_of[following], table)
    return energy_mwns


@part  # pragma: no cover - compiled
def _rests(request, level, demand, behind, table, levels):
    """Whether the core has no request after a request that runs at a level."""
    _, begin_of, clock_of = levels
    following = behind[request]
    free_at = _end(request, level, begin_of[request], clock_of[request], demand, table)
    return following == _NO_REQUEST or demand.arrival_ns[following] >= free_at


@part  # pragma: no cover - compiled
def _to_batch_mwns(level, table):
    """Energy of a change to batch work, whose power the core draws anyway [mW ns]."""
    if table.chip.batch_level[0] in (NOTHING, level):
        return np.int64(0)
    return np.int64(table.change_nj * _MW_PER_W)


@part  # pragma: no cover - compiled
def _change_mwns(clock, level, table):
    """Energy of a change of level, including the power of the core while it halts [mW ns]."""
    if clock in (NOTHING, level):
        return np.int64(0)
    return table.power_mw[level] * table.halt_ns + table.change_nj * _MW_PER_W


@njit(cache=True, nogil=True)
def _total_energy(demand, behind, table, levels):  # pragma: no cover - compiled
    """Energy of all requests and of all changes [mW ns]."""
    level_of, _, clock_of = levels
    energy_mwns = 0.0
    for request in range(len(level_of)):
        level = level_of[request]
        energy_mwns += table.power_mw[level] * _whole_ns(request, level, demand)
        energy_mwns += _change_mwns(clock_of[request], level, table)
        if _rests(request, level, demand, behind, table, levels):
            energy_mwns += _to_batch_mwns(level, table)
    return energy_mwns


@part  # pragma: no cover - compiled
def _more_late(request, level, parts):
    """How many more requests are late with a request at a level.

    Returns a number above the limit as soon as the limit is exceeded.
    """
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
        if more > room or request == _NO_REQUEST:
            return more
        begin, clock = _begin(request, free_at, level, demand, table)
        if begin == begin_of[request] and clock == clock_of[request]:
            return more
        level = level_of[request]
        before, free_at = _ends(request, level, begin, clock, demand, table, levels)


@part  # pragma: no cover - compiled
def _ends(request, level, begin, clock, demand, table, levels):
    """End of a request as planned, and its end at another level or start time."""
    level_of, begin_of, clock_of = levels
    was = begin_of[request], clock_of[request]
    before = _end(request, level_of[request], was[0], was[1], demand, table)
    return before, _end(request, level, begin, clock, demand, table)


@part  # pragma: no cover - compiled
def _shift(request, level, parts):
    """Set the level of a request and move the starts of the requests behind it."""
    demand, behind, table, _, levels = parts
    level_of, begin_of, clock_of = levels
    level_of[request] = level
    free_at = _end(request, level, begin_of[request], clock_of[request], demand, table)
    request = behind[request]
    while request != _NO_REQUEST:
        begin, clock = _begin(request, free_at, level, demand, table)
        if begin == begin_of[request] and clock == clock_of[request]:
            return
        begin_of[request], clock_of[request] = begin, clock
        level = level_of[request]
        free_at = _end(request, level, begin, clock, demand, table)
        request = behind[request]
