"""The leanest rung, which does most work per resource, and tables that use it at high load.

A table is stable at every rate at which the leanest rung alone is stable if, from some load on, all
requests start at once on it and stay there.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from tailc.forms.ladder.table import AT_ONCE, Climb, Guard, Ladder, Row, collapse


def leanest_rung(ladder: Ladder) -> int | None:
    """The leanest rung of a ladder: the one with the most work per use of the limited resource.

    The first one on a tie. None unless there is one limited resource that every rung uses.
    """
    unit = _supply(ladder)
    if unit is None or any(rung.cost_ppm[unit] == 0 for rung in ladder.rungs):
        return None
    work = [Fraction(rung.speed_ppm, rung.cost_ppm[unit]) for rung in ladder.rungs]
    return work.index(max(work))


def leanest_alone(ladder: Ladder) -> Ladder | None:
    """A ladder in which all requests start at once on the leanest rung; None if there is none."""
    rung = leanest_rung(ladder)
    if rung is None:
        return None
    rows = (Row(ladder.rows[0].first_load, None, AT_ONCE, (Climb(0, rung),)),)
    return replace(ladder, rows=rows)


def leanest_from(ladder: Ladder, rung: int, first_load: int) -> Ladder:
    """Change a ladder: from `first_load` on, requests start at once on `rung` and stay there.

    first_load: number of requests in the system. From this load on no request waits, even where
    `ladder` makes requests wait for another one to exit.
    """
    below = [row for row in ladder.rows if row.first_load < first_load]
    below[-1] = replace(below[-1], last_load=first_load - 1)
    rows = (*below, Row(first_load, None, AT_ONCE, (Climb(0, rung),)))
    guard = Guard(ladder.guard.min_load, max(ladder.guard.max_load, first_load))
    return replace(ladder, rows=collapse(rows), guard=guard)


def leanest_beyond(ladder: Ladder) -> Ladder:
    """Change a ladder: use the leanest rung, the one with most work per core, at high loads.

    These are the loads above its last row, and those at which this rung fills all cores. Unchanged
    if no rung is leaner than all others.
    """
    rung, unit = leanest_rung(ladder), _supply(ladder)
    if rung is None or unit is None:
        return ladder
    supply_ppm = ladder.cost_units[unit].capacity_ppm or 0
    full = supply_ppm // ladder.rungs[rung].cost_ppm[unit]
    return leanest_from(ladder, rung, max(ladder.guard.max_load, full) + 1)


def _supply(ladder: Ladder) -> int | None:
    """Index of the limited cost unit; None if there are several or none."""
    limited = [n for n, unit in enumerate(ladder.cost_units) if unit.capacity_ppm is not None]
    return limited[0] if len(limited) == 1 else None
