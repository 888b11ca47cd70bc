"""A ladder in memory: checked once, then one index and one bisection per look-up."""

from __future__ import annotations

import itertools
import math
from bisect import bisect_right
from collections.abc import Callable
from functools import cached_property

from tailc_runtime.controller import PPM, Controller
from tailc_runtime.counters import Counters
from tailc_runtime.meaning import CORES, check_ladder, check_scaled
from tailc_runtime.overload import Overload
from tailc_runtime.raw import Head, RawLadder, RawRow
from tailc_runtime.sharing import Sharing

NOW, WAIT, ON_EXIT = 0, 1, 2

# Up to this many loads, each load has an entry; for more, rows are found by bisection.
_MOST_ENTRIES = 65_536
_NOT_FROM_0 = "the load and the times waited and executed must not be negative, nor NaN"
# No age in a policy is as late.
_EVER_US = 2**53

Lookup = Callable[[int, int, int], tuple[int, int, int]]

# Start when admitted, delay, ages of the climbs after the first, rungs.
_Entry = tuple[int, int, tuple[int, ...], tuple[int, ...]]

_FIRST_RUNG: _Entry = (NOW, 0, (), (0,))


class PolicyTable:
    """A ladder, ready for look-ups.

    `lookup(load, waited_us, executed_us)` returns (start, wait_us, rung): start is NOW, WAIT for
    `wait_us`, or ON_EXIT, and applies only to requests that have not started; `rung` is an index
    into `rungs`, the names, and into `settings`, what each rung is. Raises ValueError for negative
    arguments and for NaN; an infinite load is above all rows. If the policy has a `controller`, its
    current output scales the ages of climbs.

    If rungs are cores, `core_unit` is the cost unit of the kind of core by rung, `move_us` the time
    of a climb to the rung, and `core_count` the number of cores by cost unit, 0 for power. All
    three are empty for other rungs. `overload` has the rules for refusing, degrading and cutting
    off requests, and `sharing` those for a shared resource.
    """

    lookup: Lookup

    def __init__(
        self, head: Head, ladder: RawLadder, controller: Controller | None, counters: Counters
    ) -> None:
        check_ladder(ladder)
        if controller:
            check_scaled(ladder)
        self.name = head.name
        self.kind = head.kind
        self.generation = head.generation
        self.policy_digest = head.policy_digest
        self.signature_expires_s = head.signature_expires_s
        self.load_axis = ladder.load_axis
        self.request_class = ladder.request_class
        self.cost_units = tuple(unit.name for unit in ladder.cost_units)
        self.rungs = tuple(rung.name for rung in ladder.rungs)
        self.settings = ladder.rungs
        self.rules = ladder.rules
        self.quantum_us = ladder.quantum_us
        self.boost = ladder.boost
        self.overload = _overload(ladder)
        self.sharing = _sharing(ladder)
        self.controller = controller
        self.counters = counters
        self.core_unit, self.core_count, self.move_us = _cores(ladder)
        self._waits_count = int("age-from-arrival" in ladder.rules)
        self._as_written = _lookup_in(ladder, self._waits_count, counters)
        self.lookup = self._as_written
        if controller:
            self.lookup = self._steered(controller, self._as_written)
        self._ladder, self._counters = ladder, counters

    def lookup_scaled(
        self, load: int, waited_us: int, executed_us: int, output_ppm: int
    ) -> tuple[int, int, int]:
        """Like `lookup`, with ages of climbs scaled by `output_ppm` millionths, 0 to 1,000,000."""
        if not 0 <= output_ppm <= PPM:
            raise ValueError("the output must be 0 to 1,000,000")
        return self._scaled(self._as_written, load, waited_us, executed_us, output_ppm)

    @cached_property
    def peek(self) -> Lookup:
        """Like `lookup`, for a schedule that looks what a request would get: it counts nothing."""
        as_written = _lookup_in(self._ladder, self._waits_count, Counters())
        return self._steered(self.controller, as_written) if self.controller else as_written

    def count_outside(self, load: int) -> None:
        """Count a look-up of a schedule, if the load is outside."""
        self._counters.outside += not self._ladder.min_load <= load <= _last_inside(self._ladder)

    def _scaled(
        self, as_written: Lookup, load: int, waited_us: int, executed_us: int, output_ppm: int
    ) -> tuple[int, int, int]:
        if not (waited_us >= 0 and executed_us >= 0):
            raise ValueError(_NOT_FROM_0)
        counted_us = min(self._waits_count and waited_us, _EVER_US)
        age_us = _unscaled_us(min(executed_us + counted_us, _EVER_US), output_ppm)
        return as_written(load, waited_us, age_us - counted_us)

    def _steered(self, controller: Controller, as_written: Lookup) -> Lookup:
        return lambda load, waited_us, executed_us: self._scaled(
            as_written, load, waited_us, executed_us, controller.output_ppm
        )


def _unscaled_us(age_us: int, output_ppm: int) -> int:
    """The latest unscaled age that is reached at `age_us`, if ages are scaled and rounded down.

    floor(a z) <= t exactly if a z < t + 1; at z = 0 every climb is reached.
    """
    if output_ppm == 0:
        return max(age_us, _EVER_US)
    return ((age_us + 1) * PPM - 1) // output_ppm


def _overload(ladder: RawLadder) -> Overload:
    told = ladder.overload or (None, None, None, None)
    return Overload(*told, counts_waiting="age-from-arrival" in ladder.rules)


def _sharing(ladder: RawLadder) -> Sharing:
    told = ladder.sharing or (None, None, None)
    return Sharing(*told, counts_waiting="age-from-arrival" in ladder.rules)


def _cores(ladder: RawLadder) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """Cost unit and time of a move by rung, and number of cores by cost unit."""
    if CORES not in ladder.rules:
        return (), (), ()
    counts = tuple((unit.capacity_ppm or 0) // PPM for unit in ladder.cost_units)
    units = tuple(
        next(n for n, cost in enumerate(rung.cost_ppm) if cost and counts[n])
        for rung in ladder.rungs
    )
    return units, counts, tuple(rung.move_us or 0 for rung in ladder.rungs)


def _lookup_in(ladder: RawLadder, waits_count: int, counters: Counters) -> Lookup:
    """The look-up function for entries that each apply from their first load to that of the next.

    Written out twice, because another call would take a third of the whole time.
    """
    spans, least, most = _spans(ladder), ladder.min_load, _last_inside(ladder)
    starts = [start for start, _ in spans]
    entries = [entry for _, entry in spans]
    beyond, limit = entries[-1], starts[-1]

    def by_index(load: int, waited_us: int, executed_us: int) -> tuple[int, int, int]:
        if not (least <= load <= most and waited_us >= 0 and executed_us >= 0):
            if not (load >= 0 and waited_us >= 0 and executed_us >= 0):
                raise ValueError(_NOT_FROM_0)
            counters.outside += 1
        start, delay_us, ages, rungs = dense[load] if load < limit else beyond
        rung = rungs[bisect_right(ages, executed_us + (waits_count and waited_us))]
        if delay_us > waited_us:
            return WAIT, delay_us - waited_us, rung
        return start, 0, rung

    def by_bisection(load: int, waited_us: int, executed_us: int) -> tuple[int, int, int]:
        if not (least <= load <= most and waited_us >= 0 and executed_us >= 0):
            if not (load >= 0 and waited_us >= 0 and executed_us >= 0):
                raise ValueError(_NOT_FROM_0)
            counters.outside += 1
        start, delay_us, ages, rungs = entries[bisect_right(starts, load) - 1]
        rung = rungs[bisect_right(ages, executed_us + (waits_count and waited_us))]
        if delay_us > waited_us:
            return WAIT, delay_us - waited_us, rung
        return start, 0, rung

    if limit > _MOST_ENTRIES:
        return by_bisection
    dense = [
        entry for (start, entry), (end, _) in itertools.pairwise(spans) for _ in range(end - start)
    ]
    return by_index


def _last_inside(ladder: RawLadder) -> float:
    """The largest load that is not counted as outside; the last row of a ladder by requests in the
    system is compiled for all larger loads."""
    has_no_end = ladder.load_axis == "in_system" and ladder.outside == "clamp"
    return (
        math.inf
        if has_no_end and ladder.rows[-1].first_load <= ladder.max_load
        else ladder.max_load
    )


def _spans(ladder: RawLadder) -> list[tuple[int, _Entry]]:
    """Entries by first load, from 0 on; outside the guard the first rung applies."""
    spans = [(row.first_load, _entry(row)) for row in ladder.rows]
    spans[0] = (0, spans[0][1])
    if ladder.outside == "clamp":
        return spans
    low, end = ladder.min_load, ladder.max_load + 1
    held = [span for span in spans if span[0] <= low][-1][1]
    inside = [span for span in spans if low < span[0] < end]
    below = [(0, _FIRST_RUNG)] if low else []
    return [*below, (low, held), *inside, (end, _FIRST_RUNG)]


def _entry(row: RawRow) -> _Entry:
    start = ON_EXIT if row.admission == "on-exit" else NOW
    return start, row.delay_us, row.ages_us[1:], row.rungs
