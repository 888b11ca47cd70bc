"""The policy's server with other rows: what all baselines have in common."""

from __future__ import annotations

from dataclasses import replace

from tailc.forms.ladder.table import (
    AT_ONCE,
    Boost,
    Climb,
    Guard,
    Ladder,
    LoadAxis,
    Outside,
    Row,
    Rule,
    collapse,
)


def same_server(ladder: Ladder, rows: tuple[Row, ...], *, boost: Boost | None = None) -> Ladder:
    """The rungs, cost units and quantum of `ladder` under `rows`, by requests in the system.

    A request keeps the row that it starts with; it is boosted only where `boost` is given.
    """
    rules = (Rule.BOOST_LAST_RUNG, Rule.NEVER_DESCEND) if boost else (Rule.NEVER_DESCEND,)
    rows = collapse(rows)
    return replace(
        ladder,
        load_axis=LoadAxis.IN_SYSTEM,
        rules=rules,
        rows=rows,
        guard=Guard(0, rows[-1].first_load, Outside.CLAMP),
        boost=boost,
    )


def stays_on(rung: int, first_load: int = 0, last_load: int | None = None) -> Row:
    """A row that starts every request at once on a rung and leaves it there."""
    return Row(first_load, last_load, AT_ONCE, (Climb(0, rung),))


def capacity_of(ladder: Ladder) -> tuple[int, int] | None:
    """The cost unit that requests compete for, and its supply in millionths; None without one."""
    for number, unit in enumerate(ladder.cost_units):
        if unit.capacity_ppm is not None:
            return number, unit.capacity_ppm
    return None


def boosting(ladder: Ladder) -> Boost | None:
    """The boost of `ladder`, or one up to its capacity; None where nothing is competed for."""
    if ladder.boost is not None:
        return ladder.boost
    limited = capacity_of(ladder)
    return None if limited is None else Boost(*limited)
