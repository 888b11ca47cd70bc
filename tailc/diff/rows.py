"""Compare the rows of two ladders, by ranges of loads with the same change."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tailc.forms.ladder.table import Admission, Climb, Ladder, Row, Rung


@dataclass(frozen=True)
class ClimbChange:
    """A climb that differs between two tables: the age [us] at which requests move up to `rung`.

    An age of None: requests never move to this rung.
    """

    rung: str
    old_us: int | None
    new_us: int | None

    def __post_init__(self) -> None:
        assert self.old_us != self.new_us


@dataclass(frozen=True)
class RowChange:
    """Differences for loads `first_load` to `last_load`; last_load None: all larger loads.

    admission, first_rung: old and new if they differ, else None.
    """

    first_load: int
    last_load: int | None
    admission: tuple[Admission, Admission] | None
    first_rung: tuple[str, str] | None
    climbs: tuple[ClimbChange, ...]

    @property
    def is_empty(self) -> bool:
        """Whether the row is the same in both ladders."""
        return self.admission is None and self.first_rung is None and not self.climbs


def row_changes(old: Ladder, new: Ladder) -> tuple[RowChange, ...]:
    """Compare the rows of two ladders: ranges of loads that differ, ascending and merged.

    Both ladders have the same load axis. Rows are compared as written. Loads outside the range of
    rows are decided by the guard, whose differences are settings.
    """
    ranges: list[RowChange] = []
    for change in _by_range(old, new):
        last = ranges[-1] if ranges else None
        if last and replace(last, last_load=change.last_load) == replace(
            change, first_load=last.first_load
        ):
            ranges[-1] = replace(last, last_load=change.last_load)
        else:
            ranges.append(change)
    return tuple(change for change in ranges if not change.is_empty)


def matched_labels(old: Ladder, new: Ladder) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Label every rung of both ladders; equal labels mean the same rung.

    Labels are the rungs' names. If the ladders share no name, rungs match by position, and the
    newer names are used for both.
    """
    before, after = rung_labels(old.rungs), rung_labels(new.rungs)
    if set(before).isdisjoint(after):
        before = (*after[: len(before)], *before[len(after) :])
    return before, after


def rung_labels(rungs: Sequence[Rung]) -> tuple[str, ...]:
    """The rungs' names, with a number if a name occurs several times."""
    names = [rung.name for rung in rungs]
    return tuple(
        name if names.count(name) == 1 else f"{name} (rung {number})"
        for number, name in enumerate(names)
    )


def _by_range(old: Ladder, new: Ladder) -> Iterator[RowChange]:
    """The change of each range in which neither ladder changes its row."""
    old_firsts, new_firsts = ([row.first_load for row in ladder.rows] for ladder in (old, new))
    firsts = sorted({*old_firsts, *new_firsts})
    labels = matched_labels(old, new)
    for first, following in zip(firsts, [*firsts[1:], None], strict=True):
        before = old.rows[max(bisect_right(old_firsts, first) - 1, 0)]
        after = new.rows[max(bisect_right(new_firsts, first) - 1, 0)]
        last = None if following is None else following - 1
        yield _change(first, last, (before, after), labels)


def _change(
    first: int,
    last: int | None,
    rows: tuple[Row, Row],
    labels: tuple[tuple[str, ...], tuple[str, ...]],
) -> RowChange:
    admissions = rows[0].admission, rows[1].admission
    starts = labels[0][rows[0].climbs[0].rung], labels[1][rows[1].climbs[0].rung]
    before, after = _ages(rows[0].climbs, labels[0]), _ages(rows[1].climbs, labels[1])
    return RowChange(
        first,
        last,
        admissions if admissions[0] != admissions[1] else None,
        starts if starts[0] != starts[1] else None,
        tuple(
            ClimbChange(rung, before.get(rung), after.get(rung))
            for rung in dict.fromkeys((*labels[0], *labels[1]))
            if before.get(rung) != after.get(rung)
        ),
    )


def _ages(climbs: tuple[Climb, ...], labels: tuple[str, ...]) -> dict[str, int]:
    return {labels[climb.rung]: climb.age_us for climb in climbs[1:]}
