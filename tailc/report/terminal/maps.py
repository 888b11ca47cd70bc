"""Maps of a ladder, and of the change from one ladder to another, made of characters."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tailc.diff.rows import matched_labels
from tailc.forms.ladder.lookup import lookup
from tailc.forms.ladder.table import AdmissionKind, Ladder, LoadAxis
from tailc.report.pictures.ladder_map import Extent, extent
from tailc.report.terminal.frame import HEIGHT, LEFT, add_frame, columns_of, middle
from tailc.report.terminal.look import Mark, TerminalStyle
from tailc.units import printable

_RUNGS = "123456789abcdefghijklmnopqrstuvwxyz"
_STARTS = {AdmissionKind.AT_ONCE: ".", AdmissionKind.DELAY: "d", AdmissionKind.ON_EXIT: "x"}
_START_NAMES = {".": "at once", "d": "after a delay", "x": "at an exit"}
_US_PER_MS, _MRPS = 1_000, 1_000
# Black or white text on the page's rung colours, slowest to fastest, from a palette of 256.
_HEAT = ("30;48;5;223", "30;48;5;215", "30;48;5;209", "30;48;5;167",
         "97;48;5;132", "97;48;5;96", "97;48;5;54", "97;48;5;17")  # fmt: skip
_SAME, _UP, _UP_MORE, _DOWN, _DOWN_MORE, _OTHER = ".^AvV?"
_CHANGES = {
    _SAME: "as before",
    _UP: "1 rung higher",
    _UP_MORE: "more rungs higher",
    _DOWN: "1 rung lower",
    _DOWN_MORE: "more rungs lower",
    _OTHER: "a rung that only one has",
}
_CHANGE_MARKS = {
    _UP: Mark("30;48;5;110", "↑"),
    _UP_MORE: Mark("97;48;5;25", "⇑"),
    _DOWN: Mark("30;48;5;216", "↓"),
    _DOWN_MORE: Mark("97;48;5;124", "⇓"),
    _OTHER: Mark("30;48;5;179"),
}


def map_text(ladder: Ladder, look: TerminalStyle) -> str:
    """Draw a ladder's rungs by load and age as text, and how waiting requests start."""
    map_extent = extent(ladder)

    def rung(load: int, age_us: int) -> str:
        return _RUNGS[min(lookup(ladder, load, 0, age_us).rung, len(_RUNGS) - 1)]

    marks = _rung_marks(len(ladder.rungs))
    lines = add_frame(_cells(map_extent, look, rung), map_extent.x, map_extent.y, look, marks)
    legend = look.legend(_rung_names(ladder), marks)
    return "\n".join((*_start_lines(_starts(ladder, map_extent, look)), *lines, legend))


def change_text(old: Ladder, new: Ladder, look: TerminalStyle) -> str | None:
    """Draw where requests run on a higher or lower rung; None if the ladders' load axes differ.

    The load axis is what loads count: requests in the system, or the arrival rate.
    """
    if old.load_axis is not new.load_axis:
        return None
    map_extent, (before, after) = extent(old, new), matched_labels(old, new)

    def change(load: int, age_us: int) -> str:
        was, now = (lookup(each, load, 0, age_us).rung for each in (old, new))
        if before[was] not in after:
            return _OTHER
        up = now - after.index(before[was])
        if up == 0:
            return _SAME
        return (_UP, _UP_MORE)[up > 1] if up > 0 else (_DOWN, _DOWN_MORE)[up < -1]

    cells = _cells(map_extent, look, change)
    lines = add_frame(cells, map_extent.x, map_extent.y, look, _CHANGE_MARKS)
    used_marks = {mark for row in cells for mark in row}
    entries = [(mark, meaning) for mark, meaning in _CHANGES.items() if mark in used_marks]
    return "\n".join((*lines, look.legend(entries, _CHANGE_MARKS)))


def _cells(
    map_extent: Extent, look: TerminalStyle, mark_at: Callable[[int, int], str]
) -> list[list[str]]:
    """Build a mark for each load and age [us] of the map, highest age first."""
    ages_us = [round(middle(map_extent.y, line, HEIGHT) * _US_PER_MS) for line in range(HEIGHT)]
    return [
        [mark_at(load, age_us) for load in _loads(map_extent, look)] for age_us in reversed(ages_us)
    ]


def _loads(map_extent: Extent, look: TerminalStyle) -> list[int]:
    """The load in each column, in the unit of look-ups."""
    factor, columns = _MRPS if map_extent.axis is LoadAxis.RATE else 1, columns_of(look)
    return [round(middle(map_extent.x, column, columns) * factor) for column in range(columns)]


def _rung_names(ladder: Ladder) -> list[tuple[str, str]]:
    """Mark and name of each rung; the last mark is shared by all further rungs."""
    names = [printable(rung.name) for rung in ladder.rungs]
    marked = list(zip(_RUNGS, names, strict=False))
    if len(names) > len(marked):
        marked[-1] = _RUNGS[-1], f"{marked[-1][1]} and faster"
    return marked


def _rung_marks(rungs: int) -> dict[str, Mark]:
    steps = [round(rung * (len(_HEAT) - 1) / max(rungs - 1, 1)) for rung in range(rungs)]
    return {mark: Mark(_HEAT[step]) for mark, step in zip(_RUNGS, steps, strict=False)}


def _starts(ladder: Ladder, map_extent: Extent, look: TerminalStyle) -> str:
    """Mark of each column's admission; empty if all requests start at once."""
    spans = list(map_extent.spans(ladder))
    if all(span.row.admission.kind is AdmissionKind.AT_ONCE for span in spans):
        return ""
    columns = columns_of(look)
    loads = [middle(map_extent.x, column, columns) for column in range(columns)]
    return "".join(
        next(_STARTS[span.row.admission.kind] for span in reversed(spans) if span.left <= load)
        for load in loads
    )


def _start_lines(starts: str) -> Sequence[str]:
    if not starts:
        return ()
    legend_text = ", ".join(
        f"{mark} {name}" for mark, name in _START_NAMES.items() if mark in starts
    )
    return f"requests start: {legend_text}", f"{'':{LEFT}}{starts}"
