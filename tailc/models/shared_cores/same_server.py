"""The policy's server with other rows, from which baselines on shared cores are made."""

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
    """Make a ladder with these rows on the server of `ladder`: its rungs, cost units, quantum.

    Rows are by requests in the system. A request keeps its first row. It is boosted only if `boost`
    is given, and no rule refuses, degrades or cuts off requests.
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
    """Make a ladder's row that starts every request at once on a rung and keeps it there.

    first_load, last_load: loads of the row.
    """
    return Row(first_load, last_load, AT_ONCE, (Climb(0, rung),))


def capacity_of(ladder: Ladder, rung: int = 0) -> tuple[int, int] | None:
    """The limited cost unit that requests on a rung use: its number, and its capacity [1e-6].

    None if the rung uses no limited one.
    """
    unit = unit_of(ladder.rungs[rung], ladder)
    if unit is None:
        return None
    supply_ppm = ladder.cost_units[unit].capacity_ppm
    assert supply_ppm is not None
    return unit, supply_ppm


def boosting(ladder: Ladder, rung: int) -> Boost | None:
    """The boosting rule of a baseline for requests on a rung; None if they compete for nothing.

    It is the rule of `ladder`. If `ladder` does not boost in the rung's cost unit, the limit is the
    capacity.
    """
    limited = capacity_of(ladder, rung)
    if limited is None or (ladder.boost is not None and ladder.boost.unit == limited[0]):
        return ladder.boost if limited else None
    return Boost(*limited)


def no_such_rung(ladder: Ladder, rung: int) -> Unfit | None:
    """The reason why a baseline on rung number `rung` (from 0) does not apply, or None."""
    rungs = len(ladder.rungs)
    if 0 <= rung < rungs:
        return None
    return Unfit(f"the policy has {rungs} rungs", f"N is from 1 to {rungs}")


def no_boost(ladder: Ladder, rung: int) -> Unfit | None:
    """The reason why a baseline that boosts requests on a rung does not apply, or None."""
    if boosting(ladder, rung) is not None:
        return None
    return Unfit("the server has no stated capacity to boost within")
