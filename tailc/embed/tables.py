"""Convert ladders to flat arrays: the rows of all ladders in sequence, and all their climbs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate

from tailc.artifact.envelope import Policy
from tailc.embed.content import Constants, Tables
from tailc.forms.ladder.overload import NO_OVERLOAD
from tailc.forms.ladder.sharing import NO_SHARING
from tailc.forms.ladder.table import AdmissionKind, Ladder, Outside, Row, Rule

# Numbers as in docs/artifact-format.md.
RULE_NUMBERS = {rule: number for number, rule in enumerate(Rule, start=1)}


def flatten_ladders(policy: Policy) -> Tables:
    """Convert the policy's ladders to flat arrays; the ladder for all classes is last."""
    ladders = sorted(policy.ladders, key=lambda ladder: ladder.request_class is None)
    is_by_class = any(ladder.request_class is not None for ladder in ladders)
    arrays = [
        *(_classes(ladders) if is_by_class else ()),
        *_ladder_arrays(ladders),
        *_rung_arrays(ladders),
        *_cost_arrays(ladders),
        *_row_arrays(ladders),
        *_climb_arrays([row for ladder in ladders for row in ladder.rows]),
    ]
    return Tables(
        tuple(arrays),
        is_by_class,
        is_for_all=ladders[-1].request_class is None,
        is_scaled=policy.controller is not None,
    )


def _classes(ladders: Sequence[Ladder]) -> list[Constants]:
    about = "By ladder: its class of requests; empty: all other requests."
    return [Constants("classes", about, tuple(one.request_class or "" for one in ladders))]


def _ladder_arrays(ladders: Sequence[Ladder]) -> list[Constants]:
    def each(name: str, about: str, value: Callable[[Ladder], int]) -> Constants:
        return Constants(name, f"By ladder: {about}.", tuple(map(value, ladders)))

    axes = tuple(ladder.load_axis.value for ladder in ladders)
    return [
        Constants("load_axes", "By ladder: the unit of its loads.", axes),
        each(
            "min_load", "the smallest load that it was compiled for", lambda one: one.guard.min_load
        ),
        each(
            "max_load", "the largest load that it was compiled for", lambda one: one.guard.max_load
        ),
        each("quantum_us", "microseconds between a request's ticks", lambda one: one.quantum_us),
        each(
            "rules",
            f"actions of a server in addition to the look-up: {_rules_text(ladders)}",
            _rule_bits,
        ),
        *_boosts(ladders),
        *_overloads(ladders),
        *_sharing(ladders),
    ]


def _rules_text(ladders: Sequence[Ladder]) -> str:
    used = [rule for rule in Rule if any(rule in ladder.rules for ladder in ladders)]
    names = [f"{1 << RULE_NUMBERS[rule]} is {rule.value}" for rule in used]
    return f"the sum of its rules, where {', '.join(names)}" if names else "nothing"


def _rule_bits(ladder: Ladder) -> int:
    return sum(1 << RULE_NUMBERS[rule] for rule in ladder.rules)


def _boosts(ladders: Sequence[Ladder]) -> list[Constants]:
    boosts = [ladder.boost for ladder in ladders]
    if not any(boosts):
        return []
    units = tuple(boost.unit if boost else 0 for boost in boosts)
    limits = tuple(boost.below_ppm if boost else 0 for boost in boosts)
    limit_text = (
        "By ladder: limit on the cost of boosted requests, in millionths of that unit; 0: no boost."
    )
    return [
        Constants("boost_unit", "By ladder: the cost unit of its boost.", units, is_index=True),
        Constants("boost_below_ppm", limit_text, limits),
    ]


def _overloads(ladders: Sequence[Ladder]) -> list[Constants]:
    """Parameters of each overload rule that some ladder has."""
    rules = [ladder.overload or NO_OVERLOAD for ladder in ladders]
    constants: list[Constants] = []
    if any(one.shed_from for one in rules):
        about = "By ladder: number in the system from which arriving requests are refused; 0: none."
        constants.append(Constants("shed_from", about, tuple(one.shed_from or 0 for one in rules)))
    if any(one.cut_off_us for one in rules):
        about = "By ladder: age in microseconds at which a request leaves unfinished; 0: none."
        constants.append(
            Constants("cut_off_us", about, tuple(one.cut_off_us or 0 for one in rules))
        )
    if any(one.work_ppm for one in rules):
        about = "By ladder: number in the system from which arriving requests are degraded,"
        constants.append(
            Constants("degrade_from", about, tuple(one.degrade_from or 0 for one in rules))
        )
        about = "By ladder: millionths of the work that are done for them; 0: none is degraded."
        constants.append(Constants("work_ppm", about, tuple(one.work_ppm or 0 for one in rules)))
    return constants


def _sharing(ladders: Sequence[Ladder]) -> list[Constants]:
    """Parameters of the rules start-below and give-up, if some ladder has them."""
    rules = [ladder.sharing or NO_SHARING for ladder in ladders]
    constants: list[Constants] = []
    if any(one.start_below_ppm for one in rules):
        about = "By ladder: the cost unit whose use decides on starts."
        units = tuple(one.start_unit or 0 for one in rules)
        constants.append(Constants("start_unit", about, units, is_index=True))
        about = "By ladder: use in millionths below which a request starts; 0: rows decide."
        limits = tuple(one.start_below_ppm or 0 for one in rules)
        constants.append(Constants("start_below_ppm", about, limits))
    if any(one.give_up_us for one in rules):
        about = "By ladder: age in microseconds at which a request gives up; 0: none does."
        constants.append(
            Constants("give_up_us", about, tuple(one.give_up_us or 0 for one in rules))
        )
    return constants


def _rung_arrays(ladders: Sequence[Ladder]) -> list[Constants]:
    rungs = [rung for ladder in ladders for rung in ladder.rungs]
    arrays = _starts("first_rung", "rungs", [len(ladder.rungs) for ladder in ladders])
    arrays.append(Constants("rungs", "By rung: its name.", tuple(rung.name for rung in rungs)))
    if any(rung.move_us for rung in rungs):
        about = "By rung: microseconds without work after a climb to the rung."
        arrays.append(Constants("move_us", about, tuple(rung.move_us or 0 for rung in rungs)))
    return arrays


def _cost_arrays(ladders: Sequence[Ladder]) -> list[Constants]:
    units = [unit for ladder in ladders for unit in ladder.cost_units]
    if not units:
        return []
    counts = [len(ladder.cost_units) for ladder in ladders]
    costs = [cost for ladder in ladders for rung in ladder.rungs for cost in rung.cost_ppm]
    of_rungs = [len(ladder.rungs) * count for ladder, count in zip(ladders, counts, strict=True)]
    capacities = tuple(unit.capacity_ppm or 0 for unit in units)
    return [
        *_starts("first_unit", "cost units", counts),
        Constants("units", "By cost unit: its name.", tuple(unit.name for unit in units)),
        Constants(
            "capacity_ppm", "By cost unit: its capacity in millionths; 0: no limit.", capacities
        ),
        *_starts("first_cost", "costs", of_rungs),
        Constants("cost_ppm", "By rung: its cost in each cost unit.", tuple(costs)),
    ]


def _starts(name: str, what: str, counts: Sequence[int]) -> list[Constants]:
    """Index of the first part of each ladder; omitted for a single ladder, where it is 0."""
    if len(counts) == 1:
        return []
    about = f"By ladder: index of the first of its {what}."
    return [Constants(name, about, _sums(counts), is_index=True)]


def _row_arrays(ladders: Sequence[Ladder]) -> list[Constants]:
    falls_back = [ladder.guard.outside is Outside.FIRST_RUNG for ladder in ladders]
    from_arrival = [Rule.AGE_FROM_ARRIVAL in ladder.rules for ladder in ladders]
    rows = [row for ladder in ladders for row in ladder.rows]
    on_exit = [row.admission.kind is AdmissionKind.ON_EXIT for row in rows]
    sums = _sums([len(ladder.rows) for ladder in ladders])
    return [
        _inner(
            "falls_back",
            "By ladder: 1 if requests at other loads stay on the first rung.",
            falls_back,
        ),
        _inner("age_from_arrival", "By ladder: 1 if waiting counts towards ages.", from_arrival),
        _inner("first_row", "By ladder: index of its first row.", sums),
        _inner(
            "first_load",
            "By row: the smallest load of the row.",
            _first_loads(rows),
            is_index=False,
        ),
        _inner("on_exit", "By row: 1 if a request starts when another exits.", on_exit),
        _inner(
            "delay_us",
            "By row: microseconds that a request waits before it starts.",
            [row.admission.delay_us for row in rows],
            is_index=False,
        ),
        _inner(
            "first_climb",
            "By row: index of its first climb.",
            _sums([len(row.climbs) for row in rows]),
        ),
    ]


def _first_loads(rows: Sequence[Row]) -> list[int]:
    return [row.first_load for row in rows]


def _climb_arrays(rows: Sequence[Row]) -> list[Constants]:
    climbs = [climb for row in rows for climb in row.climbs]
    ages, rungs = [climb.age_us for climb in climbs], [climb.rung for climb in climbs]
    return [
        _inner("age_us", "By climb: its age in microseconds.", ages, is_index=False),
        _inner("climb_rung", "By climb: the rung that it leads to, counted in its ladder.", rungs),
    ]


def _inner(name: str, about: str, values: Iterable[int], *, is_index: bool = True) -> Constants:
    return Constants(name, about, tuple(map(int, values)), is_index, is_inner=True)


def _sums(counts: Sequence[int]) -> tuple[int, ...]:
    """Index of the first item of each part, and the end of the last part."""
    return tuple(accumulate(counts, initial=0))
