"""The table in memory: meaning checked once, then one index and one bisection a look-up."""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Callable, Iterable

from tailc_runtime.errors import BadMeaning, UnknownRule
from tailc_runtime.raw import Head, RawLadder, RawRow

NOW, WAIT, ON_EXIT = 0, 1, 2

LOAD_AXES = ("in_system", "rate_mrps")
ADMISSIONS = ("at-once", "delay", "on-exit")
OUTSIDES = ("clamp", "first-rung")
RULES = ("age-from-arrival", "boost-last-rung", "never-descend", "reread-row")

# Up to this many loads each has an entry of its own; beyond, rows are found by bisection.
_MOST_ENTRIES = 65_536

Lookup = Callable[[int, int, int], tuple[int, int, int]]

# Start when admitted, delay, ages of the climbs after the first, rungs.
_Entry = tuple[int, int, tuple[int, ...], tuple[int, ...]]

_FIRST_RUNG: _Entry = (NOW, 0, (), (0,))


class PolicyTable:
    """One ladder, ready to be looked up.

    `lookup(load, waited_us, executed_us)` returns (start, wait_us, rung): start is NOW, WAIT for
    `wait_us`, or ON_EXIT, and concerns only requests that have not started; `rung` is an index
    into `rungs`. It raises ValueError for negative arguments.
    """

    lookup: Lookup

    def __init__(self, head: Head, ladder: RawLadder) -> None:
        _check(ladder)
        self.name = head.name
        self.kind = head.kind
        self.generation = head.generation
        self.policy_digest = head.policy_digest
        self.load_axis = ladder.load_axis
        self.request_class = ladder.request_class
        self.cost_units = ladder.cost_units
        self.rungs = ladder.rungs
        self.rules = ladder.rules
        self.quantum_us = ladder.quantum_us
        self.boost = ladder.boost
        self.lookup = _lookup_in(_spans(ladder), "age-from-arrival" in ladder.rules)


def _lookup_in(spans: list[tuple[int, _Entry]], from_arrival: bool) -> Lookup:
    """The look-up over entries that each hold from their first load to the next one's.

    Written out twice, because a further call would take a third of the time of the whole.
    """
    starts = [start for start, _ in spans]
    entries = [entry for _, entry in spans]
    beyond, limit = entries[-1], starts[-1]
    waits_count = int(from_arrival)

    def by_index(load: int, waited_us: int, executed_us: int) -> tuple[int, int, int]:
        if load < 0 or waited_us < 0 or executed_us < 0:
            raise ValueError("load, waited and executed cannot be negative")
        start, delay_us, ages, rungs = dense[load] if load < limit else beyond
        rung = rungs[bisect_right(ages, executed_us + waits_count * waited_us)]
        if delay_us > waited_us:
            return WAIT, delay_us - waited_us, rung
        return start, 0, rung

    def by_bisection(load: int, waited_us: int, executed_us: int) -> tuple[int, int, int]:
        if load < 0 or waited_us < 0 or executed_us < 0:
            raise ValueError("load, waited and executed cannot be negative")
        start, delay_us, ages, rungs = entries[bisect_right(starts, load) - 1]
        rung = rungs[bisect_right(ages, executed_us + waits_count * waited_us)]
        if delay_us > waited_us:
            return WAIT, delay_us - waited_us, rung
        return start, 0, rung

    if limit > _MOST_ENTRIES:
        return by_bisection
    dense = [
        entry for (start, entry), (end, _) in itertools.pairwise(spans) for _ in range(end - start)
    ]
    return by_index


def _spans(ladder: RawLadder) -> list[tuple[int, _Entry]]:
    """Entries by first load, from 0 on; the guard's first rung holds outside it."""
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


def _check(ladder: RawLadder) -> None:
    for rule in ladder.rules:
        if rule not in RULES:
            raise UnknownRule(f"rule `{rule}` is not known here")
    _require(ladder.load_axis in LOAD_AXES, f"load axis `{ladder.load_axis}` is not known here")
    _require(ladder.outside in OUTSIDES, f"guard `{ladder.outside}` is not known here")
    _require(_ascends(ladder.rules), "rules must be sorted and stand once")
    _require(ladder.quantum_us > 0, "the quantum must be positive")
    _require(bool(ladder.rungs and ladder.rows), "a ladder needs a rung and a row")
    _require(0 <= ladder.min_load <= ladder.max_load, "a guard's range must ascend")
    _require(_ascends(row.first_load for row in ladder.rows), "rows must ascend")
    _require(ladder.rows[0].first_load >= 0, "a load cannot be negative")
    for row in ladder.rows:
        _check_row(row, len(ladder.rungs))
    _check_boost(ladder)


def _check_row(row: RawRow, rungs: int) -> None:
    _require(row.admission in ADMISSIONS, f"admission `{row.admission}` is not known here")
    delayed = row.admission == "delay"
    _require(row.delay_us > 0 if delayed else row.delay_us == 0, "only a delay has a length")
    _require(row.ages_us[:1] == (0,), "a row's first rung must begin at age 0")
    _require(_ascends(row.ages_us), "a row's ages must ascend")
    _require(_ascends(row.rungs), "a row's rungs must ascend")
    _require(row.rungs[0] >= 0 and row.rungs[-1] < rungs, "a row climbs to no rung")


def _check_boost(ladder: RawLadder) -> None:
    boosts = "boost-last-rung" in ladder.rules
    _require(boosts == (ladder.boost is not None), "the boost rule and its limit go together")
    if ladder.boost is not None:
        unit, below_ppm = ladder.boost
        _require(0 <= unit < len(ladder.cost_units), "the boost names no cost unit")
        _require(below_ppm > 0, "a boost needs a limit")


def _ascends(values: Iterable[int] | Iterable[str]) -> bool:
    return all(a < b for a, b in itertools.pairwise(values))  # type: ignore[operator]


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise BadMeaning(otherwise)
