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
from tailc.models.pools import unit_of
from tailc.models.request_baselines import Unfit


def same_server(ladder: Ladder, rows: tuple[Row, ...], *, boost: Boost | None = None) -> Ladder:
    """The rungs, cost units and quantum of `ladder` under `rows`, by requests in the system.

    A request keeps the row that it starts with; it is boosted only where `boost` is given, and
    nobody is refused, degraded or cut off by rule.
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
        overload=None,
        sharing=None,
    )


def stays_on(rung: int, first_load: int = 0, last_load: int | None = None) -> Row:
    """A row that starts every request at once on a rung and leaves it there."""
    return Row(first_load, last_load, AT_ONCE, (Climb(0, rung),))


def capacity_of(ladder: Ladder, rung: int = 0) -> tuple[int, int] | None:
    """The cost unit that requests on the rung compete for, and its supply in millionths.

    None where they compete for none.
    """
    unit = unit_of(ladder.rungs[rung], ladder)
    if unit is None:
        return None
    supply_ppm = ladder.cost_units[unit].capacity_ppm
    assert supply_ppm is not None
    return unit, supply_ppm


def boosting(ladder: Ladder, rung: int) -> Boost | None:
    """How requests on the rung can be boosted; None where they compete for nothing.

    As `ladder` boosts, or, where it does not or not in the rung's cost unit, up to its capacity.
    """
    limited = capacity_of(ladder, rung)
    if limited is None or (ladder.boost is not None and ladder.boost.unit == limited[0]):
        return ladder.boost if limited else None
    return Boost(*limited)


def no_such_rung(ladder: Ladder, rung: int) -> Unfit | None:
    """Why a baseline is none of the policy that has this rung in its name, from 0; None: it is."""
    rungs = len(ladder.rungs)
    if 0 <= rung < rungs:
        return None
    return Unfit(f"the policy has {rungs} rungs", f"N is from 1 to {rungs}")


def no_boost(ladder: Ladder, rung: int) -> Unfit | None:
    """Why a baseline is none of the policy that boosts requests on this rung; None: it is."""
    if boosting(ladder, rung) is not None:
        return None
    return Unfit("the server has no stated capacity to boost within")
