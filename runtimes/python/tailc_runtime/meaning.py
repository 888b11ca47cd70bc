"""Check that the content of a ladder is consistent."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from tailc_runtime.controller import LARGEST_AGE_US, PPM
from tailc_runtime.errors import BadMeaning, UnknownRule
from tailc_runtime.raw import RawLadder, RawOverload, RawRow, RawSharing

LOAD_AXES = ("in_system", "rate_mrps")
ADMISSIONS = ("at-once", "delay", "on-exit")
OUTSIDES = ("clamp", "first-rung")
CORES, MAKE_ROOM = "core-per-request", "make-room"
FROM_ARRIVAL, BUSY_PERIOD, WAITED_LAST = "age-from-arrival", "busy-period-age", "waited-start-last"
SHED, CUT_OFF, DEGRADE = "shed", "cut-off", "degrade"
START_BELOW, GIVE_UP = "start-below", "give-up"
RULES = (
    *(FROM_ARRIVAL, "boost-last-rung", BUSY_PERIOD, CORES, CUT_OFF, DEGRADE, GIVE_UP),
    *(MAKE_ROOM, "never-descend", "reread-row", SHED, START_BELOW, WAITED_LAST),
)


def check_ladder(ladder: RawLadder) -> None:
    """Raise BadMeaning for an inconsistent ladder, and UnknownRule for an unknown rule."""
    for rule in ladder.rules:
        if rule not in RULES:
            raise UnknownRule(f"rule `{rule}` is not known here")
    _require(ladder.load_axis in LOAD_AXES, f"load axis `{ladder.load_axis}` is not known here")
    _require(ladder.outside in OUTSIDES, f"guard `{ladder.outside}` is not known here")
    _require(_ascends(ladder.rules), "rules must be sorted and stand once")
    both = {FROM_ARRIVAL, BUSY_PERIOD} <= set(ladder.rules)
    _require(not both, "ages count from arrival, or over the busy period of a core")
    _require(ladder.quantum_us > 0, "the quantum must be positive")
    _require(bool(ladder.rungs and ladder.rows), "a ladder needs a rung and a row")
    _require(0 <= ladder.min_load <= ladder.max_load, "a guard's range must ascend")
    _require(_ascends(row.first_load for row in ladder.rows), "rows must ascend")
    _require(ladder.rows[0].first_load >= 0, "a load cannot be negative")
    for row in ladder.rows:
        _check_row(row, len(ladder.rungs))
    for rung in ladder.rungs:
        whole = len(rung.cost_ppm) == len(ladder.cost_units)
        _require(whole, "every rung must state a cost in every cost unit")
        _require(rung.move_us is None or rung.move_us > 0, "only a move that takes time states it")
    _check_boost(ladder)
    _check_overload(ladder)
    _check_sharing(ladder)
    _check_cores(ladder)


def check_scaled(ladder: RawLadder) -> None:
    """Raise BadMeaning if a controller cannot scale the ages of the ladder."""
    oldest_us = max(row.ages_us[-1] for row in ladder.rows)
    _require(oldest_us <= LARGEST_AGE_US, "a controller scales no age beyond 2^43 us")


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


def _check_overload(ladder: RawLadder) -> None:
    told = ladder.overload or RawOverload(None, None, None, None)
    parts = {SHED: told.shed_from, CUT_OFF: told.cut_off_us, DEGRADE: told.degrade_from}
    for rule, part in parts.items():
        agree = (rule in ladder.rules) == (part is not None)
        _require(agree, f"the rule {rule} and what it needs go together")
    rules = bool(parts.keys() & set(ladder.rules))
    _require(rules == (ladder.overload is not None), "what is said of overload needs a rule")
    _require(told.shed_from is None or told.shed_from > 0, "a server that sheds all serves none")
    _require(told.cut_off_us is None or told.cut_off_us > 0, "a cut-off leaves time to run")
    _check_degraded(told)


def _check_degraded(told: RawOverload) -> None:
    together = (told.degrade_from is None) == (told.work_ppm is None)
    _require(together, "from where requests are degraded and to what go together")
    if told.degrade_from is None or told.work_ppm is None:
        return
    _require(told.degrade_from >= 0, "a number in the system cannot be negative")
    _require(0 < told.work_ppm < PPM, "a degraded request does a part of its work")
    is_before = told.shed_from is None or told.degrade_from < told.shed_from
    _require(is_before, "a request that is refused cannot be degraded")


def _check_sharing(ladder: RawLadder) -> None:
    told = ladder.sharing or RawSharing(None, None, None)
    parts = {START_BELOW: told.start_below_ppm, GIVE_UP: told.give_up_us}
    for rule, part in parts.items():
        agree = (rule in ladder.rules) == (part is not None)
        _require(agree, f"the rule {rule} and what it needs go together")
        _require(part is None or part > 0, f"the rule {rule} needs a number above 0")
    rules = bool(parts.keys() & set(ladder.rules))
    _require(rules == (ladder.sharing is not None), "what is said of sharing needs a rule")
    together = (told.start_unit is None) == (told.start_below_ppm is None)
    _require(together, "what is counted at starts and its limit go together")
    if told.start_unit is not None:
        _require(0 <= told.start_unit < len(ladder.cost_units), "starts count no cost unit")
        at_once = all(row.admission == "at-once" for row in ladder.rows)
        _require(at_once, "where starts go by what is in use, no row makes a request wait")


def _check_cores(ladder: RawLadder) -> None:
    power = ladder.power
    takes_over = bool({BUSY_PERIOD, WAITED_LAST} & set(ladder.rules))
    if CORES not in ladder.rules:
        _require(MAKE_ROOM not in ladder.rules, "only requests with a core make room")
        _require(not takes_over, "only requests with a core take one over")
        _require(power is None, "power is told of rungs that are cores")
        moves = any(rung.move_us is not None for rung in ladder.rungs)
        _require(not moves, "only a move to another core takes time")
        return
    if power is None:
        raise BadMeaning("a ladder of cores needs its power")
    _require(len(power.idle_ppm) == len(ladder.cost_units), "power is told by cost unit")
    _require(0 <= power.unit < len(power.idle_ppm), "power names no cost unit")
    _require(ladder.boost is None, "a request with a core of its own needs no boost")
    _require(ladder.sharing is None, "a request with a core of its own shares none")
    limits = [unit.capacity_ppm for unit in ladder.cost_units]
    _require(limits[power.unit] is None, "power is no capacity that requests share")
    whole = all(limit is None or (limit > 0 and limit % PPM == 0) for limit in limits)
    _require(whole, "cores are counted in whole numbers")
    for limit, idle in zip(limits, power.idle_ppm, strict=True):
        _require(idle >= 0 and (limit is not None or not idle), "only free cores draw power")
    for rung in ladder.rungs:
        taken = [cost for cost, limit in zip(rung.cost_ppm, limits, strict=True) if limit and cost]
        _require(taken == [PPM], f"rung `{rung.name}` is not one core of one kind")
    if takes_over:
        kinds = {n for rung in ladder.rungs for n, cost in enumerate(rung.cost_ppm)
                 if cost and limits[n]}  # fmt: skip
        _require(len(kinds) == 1, "rules of taking over a core need cores of one kind")


def _ascends(values: Iterable[int] | Iterable[str]) -> bool:
    return all(a < b for a, b in itertools.pairwise(values))  # type: ignore[operator]


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise BadMeaning(otherwise)
