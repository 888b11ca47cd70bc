"""Perturb one row of a table to measure what the row contributes."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from tailc.forms.ladder.lookup import row_at
from tailc.forms.ladder.table import AT_ONCE, Climb, Ladder, Row, collapse
from tailc.studies.why.decision import Decision

# A climb moves by a quantum, or by the number of quanta in a millisecond if that is more.
_LEAST_STEP_US = 1_000


class RowEdit(enum.Enum):
    """How a row is edited: a climb earlier, later, to a lower or higher rung; or no wait."""

    EARLIER = "climb-earlier"
    LATER = "climb-later"
    LOWER = "rung-lower"
    HIGHER = "rung-higher"
    NO_WAIT = "no-wait"


@dataclass(frozen=True)
class EditedTable:
    """A ladder with one change in one row, to measure what the row contributes.

    climb: the climb that is edited; None for an edit of the wait.
    """

    edit: RowEdit
    climb: Climb | None
    table: Ladder


def step_us(table: Ladder) -> int:
    """By how much an edit of a row changes the age of a climb [us]."""
    return -(-_LEAST_STEP_US // table.quantum_us) * table.quantum_us


def edited_tables(at: Decision) -> tuple[EditedTable, ...]:
    """Make all ladders with one small change in the row that decides; empty without a row."""
    if at.row not in at.table.rows:
        return ()
    return tuple(_edit_row(at))


def with_row_of(table: Ladder, row: Row, other: Ladder) -> Ladder:
    """Replace the rows of `table` at the loads of `row` by the rows of `other`."""
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


def _edit_row(at: Decision) -> Iterator[EditedTable]:
    for edit, climb, climbs in _changed_climbs(at):
        row = replace(at.row, climbs=_ascending(climbs))
        if row != at.row:
            yield EditedTable(edit, climb, _with_row(at, row))
    if at.row.admission != AT_ONCE:
        yield EditedTable(RowEdit.NO_WAIT, None, _with_row(at, replace(at.row, admission=AT_ONCE)))


def _changed_climbs(at: Decision) -> Iterator[tuple[RowEdit, Climb, list[Climb]]]:
    """Change the age of the next climb (else of the last), and the present rung by one."""
    moved, step = at.upcoming or at.climb, step_us(at.table)
    if moved.age_us > 0:
        earlier = Climb(max(moved.age_us - step, 0), moved.rung)
        yield RowEdit.EARLIER, moved, _with_climb(at.row, moved, earlier)
    if moved.rung > 0:
        yield (
            RowEdit.LATER,
            moved,
            _with_climb(at.row, moved, Climb(moved.age_us + step, moved.rung)),
        )
    now = at.climb
    if now.rung > 0:
        yield RowEdit.LOWER, now, _with_climb(at.row, now, Climb(now.age_us, now.rung - 1))
    if now.rung + 1 < len(at.table.rungs):
        yield RowEdit.HIGHER, now, _with_climb(at.row, now, Climb(now.age_us, now.rung + 1))


def _with_climb(row: Row, climb: Climb, by: Climb) -> list[Climb]:
    """The climbs with one replaced.

    A request that no longer starts on its rung starts one rung below.
    """
    others = [one for one in row.climbs if one != climb]
    start = Climb(0, max(climb.rung - 1, 0)) if climb.age_us == 0 else row.climbs[0]
    return [*others, by, start] if by.age_us > 0 else [*others, by]


def _ascending(climbs: Iterable[Climb]) -> tuple[Climb, ...]:
    """The climbs that go higher than all earlier ones; at one age only the highest."""
    rising: list[Climb] = []
    for climb in sorted(climbs, key=lambda one: (one.age_us, -one.rung)):
        if not rising or climb.rung > rising[-1].rung:
            rising.append(climb)
    return tuple(rising)


def _with_row(at: Decision, row: Row) -> Ladder:
    rows = [row if one == at.row else one for one in at.table.rows]
    return replace(at.table, rows=tuple(rows))
