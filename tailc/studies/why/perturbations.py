"""The same table with one row a little otherwise, to see what the row is worth as it is."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from tailc.forms.ladder.lookup import row_at
from tailc.forms.ladder.table import AT_ONCE, Climb, Ladder, Row, collapse
from tailc.studies.why.decision import Decision

# A climb is moved by a quantum, and where that is less, by as many as make a millisecond.
_LEAST_STEP_US = 1_000


class Edit(enum.Enum):
    """What is done to a row."""

    EARLIER = "climb-earlier"
    LATER = "climb-later"
    LOWER = "rung-lower"
    HIGHER = "rung-higher"
    NO_WAIT = "no-wait"


@dataclass(frozen=True)
class Edited:
    """The table with one row edited. `climb` is the one that the edit is about, None of a wait."""

    edit: Edit
    climb: Climb | None
    table: Ladder


def step_us(table: Ladder) -> int:
    """By how much a climb is moved."""
    return -(-_LEAST_STEP_US // table.quantum_us) * table.quantum_us


def edited(at: Decision) -> tuple[Edited, ...]:
    """All edits that change the row; none of a load that no row of the table is for."""
    if at.row not in at.table.rows:
        return ()
    return tuple(_edited(at))


def with_row_of(table: Ladder, row: Row, other: Ladder) -> Ladder:
    """The table with the rows that `other` has for the loads of `row`."""
    last = (
        max(row.first_load, other.rows[-1].first_load) if row.last_load is None else row.last_load
    )
    theirs = [row_at(other, load) for load in range(row.first_load, last + 1)]
    parts = [
        replace(one, first_load=load, last_load=load)
        for load, one in enumerate(theirs, start=row.first_load)
    ]
    parts[-1] = replace(parts[-1], last_load=row.last_load)
    at = table.rows.index(row)
    return replace(table, rows=collapse([*table.rows[:at], *parts, *table.rows[at + 1 :]]))


def _edited(at: Decision) -> Iterator[Edited]:
    for edit, climb, climbs in _otherwise(at):
        row = replace(at.row, climbs=_ascending(climbs))
        if row != at.row:
            yield Edited(edit, climb, _with(at, row))
    if at.row.admission != AT_ONCE:
        yield Edited(Edit.NO_WAIT, None, _with(at, replace(at.row, admission=AT_ONCE)))


def _otherwise(at: Decision) -> Iterator[tuple[Edit, Climb, list[Climb]]]:
    """The next climb, or else the last, at another age; the rung of now one lower or higher."""
    moved, step = at.upcoming or at.climb, step_us(at.table)
    if moved.age_us > 0:
        earlier = Climb(max(moved.age_us - step, 0), moved.rung)
        yield Edit.EARLIER, moved, _replaced(at.row, moved, earlier)
    if moved.rung > 0:
        yield Edit.LATER, moved, _replaced(at.row, moved, Climb(moved.age_us + step, moved.rung))
    now = at.climb
    if now.rung > 0:
        yield Edit.LOWER, now, _replaced(at.row, now, Climb(now.age_us, now.rung - 1))
    if now.rung + 1 < len(at.table.rungs):
        yield Edit.HIGHER, now, _replaced(at.row, now, Climb(now.age_us, now.rung + 1))


def _replaced(row: Row, climb: Climb, by: Climb) -> list[Climb]:
    """Who no longer starts on a rung starts one below it."""
    others = [one for one in row.climbs if one != climb]
    start = Climb(0, max(climb.rung - 1, 0)) if climb.age_us == 0 else row.climbs[0]
    return [*others, by, start] if by.age_us > 0 else [*others, by]


def _ascending(climbs: Iterable[Climb]) -> tuple[Climb, ...]:
    """Those that go higher than all before, the highest of an age alone."""
    kept: list[Climb] = []
    for climb in sorted(climbs, key=lambda one: (one.age_us, -one.rung)):
        if not kept or climb.rung > kept[-1].rung:
            kept.append(climb)
    return tuple(kept)


def _with(at: Decision, row: Row) -> Ladder:
    rows = [row if one == at.row else one for one in at.table.rows]
    return replace(at.table, rows=tuple(rows))
