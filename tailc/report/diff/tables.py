"""The tables of a diff: cells, the first row their heads."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from tailc.diff.causes import Cause
from tailc.diff.structure import FormChange
from tailc.forms.ladder.table import LoadAxis
from tailc.report.diff.words import climbs, loads, percent, start

if TYPE_CHECKING:
    from tailc.diff.behaviour import Behaviour, Point, Quantity
    from tailc.diff.change import PairedChange
    from tailc.diff.decisions import Decisions, Share

Rows = list[tuple[str, ...]]

# A thousandth of the unit that is printed: us of ms, thousandths of a thread, power times ms.
_MILLI = 1_000
_SHARE_HEADS = ("arrivals", "all", "")
_CHANGE_HEADS = ("arrivals", "", "old", "new", "change", "95 % interval", "")
CHANGE_NUMBERS = tuple(map(_CHANGE_HEADS.index, ("old", "new", "change", "95 % interval")))
_CAUSES = {
    Cause.STARTS_EARLIER: "starts earlier",
    Cause.STARTS_LATER: "starts later",
    Cause.FIRST_RUNG: "starts on another rung",
    Cause.CLIMBS_EARLIER: "climbs earlier",
    Cause.CLIMBS_LATER: "climbs later",
}


def row_table(form: FormChange) -> Rows:
    """One range of loads a row."""
    head = "in system" if form.load_axis is LoadAxis.IN_SYSTEM else "rate"
    rows: Rows = [(head, "start", "climbs, by age")]
    rows += [(loads(row, form.load_axis), start(row), climbs(row)) for row in form.rows]
    if not any(start_ for _, start_, _ in rows[1:]):
        return [(loads_, climbs_) for loads_, _, climbs_ in rows]
    return rows


def share_table(told: Decisions) -> Rows:
    """One arrival process a row."""
    return [_SHARE_HEADS, *map(_share_row, told.shares)]


def change_table(became: Behaviour, only: Collection[str] | None = None) -> Rows:
    """One quantity a row, by arrival process; CHANGE_NUMBERS are the columns of numbers.

    only: the names of the quantities to tell, None for all.
    """
    return [_CHANGE_HEADS, *(row for point in became.points for row in _point_rows(point, only))]


def _share_row(share: Share) -> tuple[str, ...]:
    causes = ", ".join(
        f"{_CAUSES[cause]} {percent(count, share.requests)}"
        for cause, count in share.by_cause
        if count
    )
    return (share.arrivals, percent(share.otherwise, share.requests), causes)


def _point_rows(point: Point, only: Collection[str] | None) -> list[tuple[str, ...]]:
    """Utilization is left to JSON: it goes as the threads do."""
    told = [
        quantity
        for quantity in point.quantities
        if quantity.unit != "ppm" and (only is None or quantity.name in only)
    ]
    names = [point.arrivals, *[""] * (len(told) - 1)]
    return [
        (name, quantity.name, *_change_cells(quantity), _shown_text(point, quantity))
        for name, quantity in zip(names, told, strict=True)
    ]


def _change_cells(quantity: Quantity) -> tuple[str, ...]:
    change = quantity.change
    digits = _digits(change)
    old, new = (f"{value / _MILLI:,.{digits}f}" for value in (change.old, change.new))
    difference, low, high = (
        "unknown" if value is None else f"{value / _MILLI:+,.{digits}f}"
        for value in (change.difference, change.low, change.high)
    )
    return old, new, difference, f"{low} .. {high}" if change.low is not None else low


def _digits(change: PairedChange) -> int:
    """Decimals of thousandths that leave the interval's half-width two digits."""
    if change.low is None or change.high is None:
        return 1
    return min(max(5 - len(str((change.high - change.low) // 2)), 1), 3)


def _shown_text(point: Point, quantity: Quantity) -> str:
    overloaded = [
        name
        for name, is_overloaded in (
            ("old", point.old_is_overloaded),
            ("new", point.new_is_overloaded),
        )
        if is_overloaded
    ]
    if overloaded:
        return f"{' and '.join(overloaded)} overloaded"
    return quantity.change.shown.value
