"""Tables of a diff, as rows of cells; the first row has the heads."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from tailc.diff.causes import Cause
from tailc.diff.structure import FormChange
from tailc.forms.ladder.table import LoadAxis
from tailc.report.diff.words import climbs, loads, percent, start

if TYPE_CHECKING:
    from tailc.diff.behaviour import Behaviour, BehaviourPoint, QuantityChange
    from tailc.diff.change import PairedChange
    from tailc.diff.decisions import Decisions, Share

Rows = list[tuple[str, ...]]

# 1e-3 of the printed unit: us for ms, 1e-3 threads, power times us for power times ms.
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
    """Build the table of changed rows of a ladder: one row per range of loads."""
    head = "in system" if form.load_axis is LoadAxis.IN_SYSTEM else "rate"
    rows: Rows = [(head, "start", "climbs, by age")]
    rows += [(loads(row, form.load_axis), start(row), climbs(row)) for row in form.rows]
    if not any(start_ for _, start_, _ in rows[1:]):
        return [(loads_, climbs_) for loads_, _, climbs_ in rows]
    return rows


def share_table(decisions: Decisions) -> Rows:
    """Build one row per arrival process: shares of requests by their first difference."""
    return [_SHARE_HEADS, *map(_share_row, decisions.shares)]


def change_table(behaviour: Behaviour, only: Collection[str] | None = None) -> Rows:
    """Build the table of changed quantities: one row per arrival process and quantity.

    Percentiles of SLOs come first. CHANGE_NUMBERS are the numeric columns. only: names of the other
    quantities to include; None: all.
    """
    return [_CHANGE_HEADS, *(row for point in behaviour.points for row in _point_rows(point, only))]


def _share_row(share: Share) -> tuple[str, ...]:
    causes = ", ".join(
        f"{_CAUSES[cause]} {percent(count, share.requests)}"
        for cause, count in share.by_cause
        if count
    )
    return (share.arrivals, percent(share.changed_requests, share.requests), causes)


def _point_rows(point: BehaviourPoint, only: Collection[str] | None) -> list[tuple[str, ...]]:
    """Rows of one point; utilization is omitted, since it is proportional to threads."""
    shown = [
        quantity
        for quantity in sorted(point.quantities, key=lambda one: not one.is_of_slo)
        if quantity.unit != "ppm" and (only is None or quantity.is_of_slo or quantity.name in only)
    ]
    names = [point.arrivals, *[""] * len(shown)][: len(shown)]
    return [
        (name, quantity.name, *_change_cells(quantity), _significance_text(point, quantity))
        for name, quantity in zip(names, shown, strict=True)
    ]


def _change_cells(quantity: QuantityChange) -> tuple[str, ...]:
    change = quantity.change
    digits = _digits(change)
    old, new = (f"{value / _MILLI:,.{digits}f}" for value in (change.old, change.new))
    difference, low, high = (
        "unknown" if value is None else f"{value / _MILLI:+,.{digits}f}"
        for value in (change.difference, change.low, change.high)
    )
    return old, new, difference, f"{low} .. {high}" if change.low is not None else low


def _digits(change: PairedChange) -> int:
    """Decimals that give the half-width of the interval two significant digits."""
    if change.low is None or change.high is None:
        return 1
    return min(max(5 - len(str((change.high - change.low) // 2)), 1), 3)


def _significance_text(point: BehaviourPoint, quantity: QuantityChange) -> str:
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
    return quantity.change.significance.value
