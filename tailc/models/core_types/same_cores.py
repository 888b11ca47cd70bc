"""Ladders on the policy's cores with other rows, from which baselines are made."""

from __future__ import annotations

from dataclasses import replace

from tailc.forms.ladder.table import AT_ONCE, Climb, Guard, Ladder, LoadAxis, Outside, Row, Rule
from tailc.models.pools import PPM, pools, unit_of

NO_TYPES = "it chooses among types of core, but this server has levels"
"""Why a baseline that does so is none of the policy, unless its rungs have a type each."""


def same_cores(ladder: Ladder, climbs: tuple[Climb, ...], *, make_room: bool = True) -> Ladder:
    """Make a ladder with the cores of `ladder`, and one row that has the given climbs.

    It has the quantum of `ladder` and counts ages in the same way. make_room: whether requests give
    up cores to others; this has an effect only with several types of core.
    """
    rules = {Rule.CORE_PER_REQUEST, Rule.NEVER_DESCEND}
    rules |= {Rule.AGE_FROM_ARRIVAL} & set(ladder.rules)
    if make_room and not is_in_place(ladder):
        rules.add(Rule.MAKE_ROOM)
    return replace(
        ladder,
        request_class=None,
        load_axis=LoadAxis.IN_SYSTEM,
        rules=tuple(sorted(rules, key=lambda rule: rule.value)),
        rows=(Row(0, None, AT_ONCE, climbs),),
        guard=Guard(0, 0, Outside.CLAMP),
    )


def wants(rung: int) -> tuple[Climb, ...]:
    """Make the climbs of a ladder's row in which requests start on a rung and stay there."""
    return (Climb(0, rung),)


def units(ladder: Ladder) -> list[int | None]:
    """Return for each rung the cost unit that represents its core type."""
    return [unit_of(rung, ladder) for rung in ladder.rungs]


def cores_of_units(ladder: Ladder) -> tuple[int, ...]:
    """Number of cores of each type, in the order of the ladder's limited resources."""
    return tuple((pools(ladder).capacity_ppm // PPM).tolist())


def is_in_place(ladder: Ladder) -> bool:
    """Whether all rungs are frequency levels of one type of core."""
    return len(set(units(ladder))) == 1


def has_a_type_each(ladder: Ladder) -> bool:
    """Whether every rung is a different type of core."""
    return len(set(units(ladder))) == len(ladder.rungs)
