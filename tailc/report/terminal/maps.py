"""The map of a ladder in characters, and that of a change from one ladder to another."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tailc.diff.rows import matched_labels
from tailc.forms.ladder.lookup import lookup
from tailc.forms.ladder.table import AdmissionKind, Ladder, LoadAxis
from tailc.report.page.ladder_map import Extent, extent
from tailc.report.terminal.frame import HEIGHT, LEFT, columns_of, framed, middle
from tailc.report.terminal.look import Look, Mark
from tailc.units import printable

_RUNGS = "123456789abcdefghijklmnopqrstuvwxyz"
_STARTS = {AdmissionKind.AT_ONCE: ".", AdmissionKind.DELAY: "d", AdmissionKind.ON_EXIT: "x"}
_SAID = {".": "at once", "d": "after a delay", "x": "at an exit"}
_US_PER_MS, _MRPS = 1_000, 1_000
# Black or white on the colours of rungs on a page, from the slowest to the fastest, of 256.
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


def map_text(ladder: Ladder, look: Look) -> str:
    """Which rung a request runs on, by load and age; and how requests start, where some wait."""
    shown = extent(ladder)

    def rung(load: int, age_us: int) -> str:
        return _RUNGS[min(lookup(ladder, load, 0, age_us).rung, len(_RUNGS) - 1)]

    marks = _rung_marks(len(ladder.rungs))
    lines = framed(_cells(shown, look, rung), shown.x, shown.y, look, marks)
    legend = look.legend(_named(ladder), marks)
    return "\n".join((*_above(_starts(ladder, shown, look)), *lines, legend))


def change_text(old: Ladder, new: Ladder, look: Look) -> str | None:
    """Where a request runs higher or lower on the ladder than before; None where the ladders count
    load otherwise.
    """
    if old.load_axis is not new.load_axis:
        return None
    shown, (before, after) = extent(old, new), matched_labels(old, new)

    def change(load: int, age_us: int) -> str:
        was, now = (lookup(each, load, 0, age_us).rung for each in (old, new))
        if before[was] not in after:
            return _OTHER
        up = now - after.index(before[was])
        if up == 0:
            return _SAME
        return (_UP, _UP_MORE)[up > 1] if up > 0 else (_DOWN, _DOWN_MORE)[up < -1]

    cells = _cells(shown, look, change)
    lines = framed(cells, shown.x, shown.y, look, _CHANGE_MARKS)
    found = {mark for row in cells for mark in row}
    entries = [(mark, says) for mark, says in _CHANGES.items() if mark in found]
    return "\n".join((*lines, look.legend(entries, _CHANGE_MARKS)))


def _cells(shown: Extent, look: Look, at: Callable[[int, int], str]) -> list[list[str]]:
    """A mark for each load and age [us] of the map, the highest age first."""
    ages_us = [round(middle(shown.y, line, HEIGHT) * _US_PER_MS) for line in range(HEIGHT)]
    return [[at(load, age_us) for load in _loads(shown, look)] for age_us in reversed(ages_us)]


def _loads(shown: Extent, look: Look) -> list[int]:
    """The load in each column, as a look-up takes it."""
    factor, columns = _MRPS if shown.axis is LoadAxis.RATE else 1, columns_of(look)
    return [round(middle(shown.x, column, columns) * factor) for column in range(columns)]


def _named(ladder: Ladder) -> list[tuple[str, str]]:
    """Each rung by its mark; the last mark is that of all that are left."""
    names = [printable(rung.name) for rung in ladder.rungs]
    marked = list(zip(_RUNGS, names, strict=False))
    if len(names) > len(marked):
        marked[-1] = _RUNGS[-1], f"{marked[-1][1]} and faster"
    return marked


def _rung_marks(rungs: int) -> dict[str, Mark]:
    steps = [round(rung * (len(_HEAT) - 1) / max(rungs - 1, 1)) for rung in range(rungs)]
    return {mark: Mark(_HEAT[step]) for mark, step in zip(_RUNGS, steps, strict=False)}


def _starts(ladder: Ladder, shown: Extent, look: Look) -> str:
    """A mark a column, or nothing where all requests start at once."""
    spans = list(shown.spans(ladder))
    if all(span.row.admission.kind is AdmissionKind.AT_ONCE for span in spans):
        return ""
    columns = columns_of(look)
    loads = [middle(shown.x, column, columns) for column in range(columns)]
    return "".join(
        next(_STARTS[span.row.admission.kind] for span in reversed(spans) if span.left <= load)
        for load in loads
    )


def _above(starts: str) -> Sequence[str]:
    if not starts:
        return ()
    told = ", ".join(f"{mark} {said}" for mark, said in _SAID.items() if mark in starts)
    return f"requests start: {told}", f"{'':{LEFT}}{starts}"
