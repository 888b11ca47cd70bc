"""Check that the content of a ladder is consistent."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from tailc_runtime.controller import LARGEST_AGE_US, PPM
from tailc_runtime.errors import BadMeaning, UnknownRule
from tailc_runtime.raw import RawLadder, RawOverload, RawRow, RawSharing, RungSetting

LOAD_AXES = ("in_system", "rate_mrps")
ADMISSIONS = ("at-once", "delay", "on-exit")
OUTSIDES = ("clamp", "first-rung")
LANES = ("shared", "alone")
CORES, MAKE_ROOM = "core-per-request", "make-room"
FROM_ARRIVAL, BUSY_PERIOD, WAITED_LAST = "age-from-arrival", "busy-period-age", "waited-start-last"
SHED, CUT_OFF, DEGRADE = "shed", "cut-off", "degrade"
START_BELOW, GIVE_UP = "start-below", "give-up"
FIELDS = {
    SHED: "shed_from",
    CUT_OFF: "cut_off_us",
    DEGRADE: "degrade_from",
    START_BELOW: "start_below_ppm",
    GIVE_UP: "give_up_us",
}
RULES = (
    *(FROM_ARRIVAL, "boost-last-rung", BUSY_PERIOD, CORES, CUT_OFF, DEGRADE, GIVE_UP),
    *(MAKE_ROOM, "never-descend", "reread-row", SHED, START_BELOW, WAITED_LAST),
)


def check_ladder(ladder: RawLadder) -> None:
    """Raise BadMeaning for an inconsistent ladder, and UnknownRule for an unknown rule."""
    for rule in ladder.rules:
        if rule not in RULES:
            raise UnknownRule(f"unknown rule `{rule}`")
    _require(ladder.load_axis in LOAD_AXES, f"unknown value `{ladder.load_axis}` of `load_axis`")
    _require(ladder.outside in OUTSIDES, f"unknown value `{ladder.outside}` of `guard.outside`")
    _require(_ascends(ladder.rules), "`rules` must be in ascending order without duplicates")
    both = {FROM_ARRIVAL, BUSY_PERIOD} <= set(ladder.rules)
    _require(not both, "rules `age-from-arrival` and `busy-period-age` exclude each other")
    _require(ladder.quantum_us > 0, "`quantum_us` must be at least 1")
    _require(bool(ladder.rungs and ladder.rows), "`rungs` and `rows` must not be empty")
    _require(
        0 <= ladder.min_load <= ladder.max_load, "`guard` must have 0 <= `min_load` <= `max_load`"
    )
    _require(
        _ascends(row.first_load for row in ladder.rows),
        "`first_load` must increase from row to row",
    )
    _require(ladder.rows[0].first_load >= 0, "`first_load` of a row must not be negative")
    for row in ladder.rows:
        _check_row(row, len(ladder.rungs))
    for rung in ladder.rungs:
        whole = len(rung.cost_ppm) == len(ladder.cost_units)
        _require(whole, "`cost_ppm` of a rung must have an entry for each cost unit")
        _check_rung(rung)
    _check_boost(ladder)
    _check_overload(ladder)
    _check_sharing(ladder)
    _check_cores(ladder)


def check_scaled(ladder: RawLadder) -> None:
    """Raise BadMeaning if a controller cannot scale the ages of the ladder."""
    oldest_us = max(row.ages_us[-1] for row in ladder.rows)
    _require(
        oldest_us <= LARGEST_AGE_US, "`age_us` of a climb must be at most 2^43 with a controller"
    )


def _check_rung(rung: RungSetting) -> None:
    _require(rung.speed_ppm > 0, f"`speed_ppm` of rung `{rung.name}` must be at least 1")
    _require(min(rung.cost_ppm, default=0) >= 0, "`cost_ppm` of a rung must not be negative")
    numbers = {
        "move_us": rung.move_us,
        "threads": rung.threads,
        "frequency_khz": rung.frequency_khz,
        "one_thread_ppm": rung.one_thread_ppm,
    }
    for name, number in numbers.items():
        _require(number is None or number > 0, f"`{name}` must be absent or at least 1")
    _require(rung.core_type != "", "`core_type` must be absent or not empty")
    _require(rung.lane is None or rung.lane in LANES, f"unknown value `{rung.lane}` of `lane`")


def _check_row(row: RawRow, rungs: int) -> None:
    _require(row.admission in ADMISSIONS, f"unknown value `{row.admission}` of `admission`")
    delayed = row.admission == "delay"
    _require(
        row.delay_us > 0 if delayed else row.delay_us == 0,
        "`delay_us` must be at least 1 for admission `delay`, and otherwise 0",
    )
    _require(row.ages_us[:1] == (0,), "`age_us` of the first climb of a row must be 0")
    _require(_ascends(row.ages_us), "`age_us` must increase from climb to climb")
    _require(_ascends(row.rungs), "`rung` must increase from climb to climb")
    _require(
        row.rungs[0] >= 0 and row.rungs[-1] < rungs,
        "`rung` of a climb must be the number of a rung, counted from 0",
    )


def _check_boost(ladder: RawLadder) -> None:
    boosts = "boost-last-rung" in ladder.rules
    _require(
        boosts == (ladder.boost is not None),
        "`boost` must be present with rule `boost-last-rung`, and otherwise absent",
    )
    if ladder.boost is not None:
        unit, below_ppm = ladder.boost
        _require(
            0 <= unit < len(ladder.cost_units),
            "`boost.unit` must be the number of a cost unit, counted from 0",
        )
        _require(below_ppm > 0, "`boost.below_ppm` must be at least 1")


def _check_overload(ladder: RawLadder) -> None:
    told = ladder.overload or RawOverload(None, None, None, None)
    parts = {SHED: told.shed_from, CUT_OFF: told.cut_off_us, DEGRADE: told.degrade_from}
    for rule, part in parts.items():
        agree = (rule in ladder.rules) == (part is not None)
        _require(agree, _field_message(rule))
    rules = bool(parts.keys() & set(ladder.rules))
    _require(
        rules == (ladder.overload is not None),
        "`overload` must be absent without rule `shed`, `cut-off` or `degrade`",
    )
    _require(told.shed_from is None or told.shed_from > 0, "`shed_from` must be at least 1")
    _require(told.cut_off_us is None or told.cut_off_us > 0, "`cut_off_us` must be at least 1")
    _check_degraded(told)


def _check_degraded(told: RawOverload) -> None:
    together = (told.degrade_from is None) == (told.work_ppm is None)
    _require(together, "`degrade_from` and `work_ppm` must both be present or both be absent")
    if told.degrade_from is None or told.work_ppm is None:
        return
    _require(told.degrade_from >= 0, "`degrade_from` must not be negative")
    _require(0 < told.work_ppm < PPM, "`work_ppm` must be 1 to 999,999")
    is_before = told.shed_from is None or told.degrade_from < told.shed_from
    _require(is_before, "`degrade_from` must be below `shed_from`")


def _check_sharing(ladder: RawLadder) -> None:
    told = ladder.sharing or RawSharing(None, None, None)
    parts = {START_BELOW: told.start_below_ppm, GIVE_UP: told.give_up_us}
    for rule, part in parts.items():
        agree = (rule in ladder.rules) == (part is not None)
        _require(agree, _field_message(rule))
        _require(part is None or part > 0, f"`{FIELDS[rule]}` must be at least 1")
    rules = bool(parts.keys() & set(ladder.rules))
    _require(
        rules == (ladder.sharing is not None),
        "`sharing` must be absent without rule `start-below` or `give-up`",
    )
    together = (told.start_unit is None) == (told.start_below_ppm is None)
    _require(together, "`start_unit` and `start_below_ppm` must both be present or both be absent")
    if told.start_unit is not None:
        _require(
            0 <= told.start_unit < len(ladder.cost_units),
            "`start_unit` must be the number of a cost unit, counted from 0",
        )
        at_once = all(row.admission == "at-once" for row in ladder.rows)
        _require(at_once, "`admission` of every row must be `at-once` with rule `start-below`")


def _check_cores(ladder: RawLadder) -> None:
    power = ladder.power
    takes_over = bool({BUSY_PERIOD, WAITED_LAST} & set(ladder.rules))
    if CORES not in ladder.rules:
        _require(MAKE_ROOM not in ladder.rules, "rule `make-room` needs rule `core-per-request`")
        _require(
            not takes_over,
            "rules `busy-period-age` and `waited-start-last` need rule `core-per-request`",
        )
        _require(power is None, "`power` must be absent without rule `core-per-request`")
        moves = any(rung.move_us is not None for rung in ladder.rungs)
        _require(not moves, "`move_us` must be absent without rule `core-per-request`")
        return
    if power is None:
        raise BadMeaning("`power` must be present with rule `core-per-request`")
    _require(
        len(power.idle_ppm) == len(ladder.cost_units),
        "`idle_ppm` must have an entry for each cost unit",
    )
    _require(
        0 <= power.unit < len(power.idle_ppm),
        "`power.unit` must be the number of a cost unit, counted from 0",
    )
    _require(
        ladder.boost is None, "rules `boost-last-rung` and `core-per-request` exclude each other"
    )
    _require(ladder.sharing is None, "`sharing` must be absent with rule `core-per-request`")
    limits = [unit.capacity_ppm for unit in ladder.cost_units]
    _require(limits[power.unit] is None, "`power.unit` must be a cost unit without `capacity_ppm`")
    whole = all(limit is None or (limit > 0 and limit % PPM == 0) for limit in limits)
    _require(whole, "`capacity_ppm` must be a multiple of 1,000,000 (whole cores)")
    for limit, idle in zip(limits, power.idle_ppm, strict=True):
        _require(
            idle >= 0 and (limit is not None or not idle),
            "`idle_ppm` must be 0 or more, and 0 for a cost unit without `capacity_ppm`",
        )
    for rung in ladder.rungs:
        taken = [cost for cost, limit in zip(rung.cost_ppm, limits, strict=True) if limit and cost]
        _require(
            taken == [PPM],
            f"`cost_ppm` of rung `{rung.name}` must be 1,000,000 for one type of core, else 0",
        )
    if takes_over:
        kinds = {n for rung in ladder.rungs for n, cost in enumerate(rung.cost_ppm)
                 if cost and limits[n]}  # fmt: skip
        _require(
            len(kinds) == 1,
            "rules `busy-period-age` and `waited-start-last` need rungs on one type of core",
        )


def _field_message(rule: str) -> str:
    return f"`{FIELDS[rule]}` must be present with rule `{rule}`, and otherwise absent"


def _ascends(values: Iterable[int] | Iterable[str]) -> bool:
    return all(a < b for a, b in itertools.pairwise(values))  # type: ignore[operator]


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise BadMeaning(otherwise)
