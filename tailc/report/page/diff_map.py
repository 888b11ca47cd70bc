"""The map of a change: by load and age, how much further up the new ladder has a request."""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from tailc.diff.rows import matched_labels
from tailc.forms.ladder.lookup import rung_at
from tailc.forms.ladder.table import Ladder, Row
from tailc.report.page.figure import Figure, Numbers
from tailc.report.page.ladder_map import Extent, extent, guarded_rows, ms
from tailc.report.page.plot import Entry, Plot
from tailc.report.page.tones import change_tone
from tailc.report.policy import admission_text
from tailc.units import format_us

_HEIGHT = 420.0
_US_PER_MS = 1_000


@dataclass(frozen=True)
class Stay:
    """Loads between two edges and ages between two times at which both answers hold.

    `up`: by how many rungs of the new ladder the answer lies higher; None: one of the rungs is not
    in it. `last_us` None: for ever.
    """

    left: float
    right: float
    loads: str
    first_us: int
    last_us: int | None
    old: str
    new: str
    up: int | None
    starts: tuple[str, str]


def diff_map_figure(ident: str, title: str, old: Ladder, new: Ladder) -> Figure | None:
    """Areas where the answers differ; None where `without_change_map` says why."""
    if without_change_map(old, new):
        return None
    shown = extent(old, new)
    stays = list(_stays(old, new, shown))
    plot = Plot(shown.x, shown.y, _legend(stays), _HEIGHT)
    marks = []
    for stay in stays:
        end_us = shown.last_age_us if stay.last_us is None else min(stay.last_us, shown.last_age_us)
        until = "on" if stay.last_us is None else f"to {format_us(stay.last_us)}"
        ages = f"age {format_us(stay.first_us)} {until}"
        says = f"{stay.loads}, {ages}: {stay.old} -> {stay.new}"
        if end_us > stay.first_us:
            y = stay.first_us / _US_PER_MS, end_us / _US_PER_MS
            marks.append(plot.cell((stay.left, stay.right), y, _tone(stay), says))
    says = "Where a request runs on another rung than before, by load and age."
    if any(stay.starts[0] != stay.starts[1] for stay in stays):
        says += " The table also says where requests start otherwise."
    numbers = (_numbers(ident, stays),)
    return Figure(ident, title, says, numbers, plot.drawn(ident, title, says, marks))


def without_change_map(old: Ladder | None, new: Ladder) -> str:
    """Why there is none; nothing where there is one. `old` None: there is no such ladder."""
    if old is None:
        return "the old policy has no such ladder"
    return "" if old.load_axis is new.load_axis else "the two ladders count load otherwise"


def _tone(stay: Stay) -> str:
    return "other" if stay.up is None else change_tone(stay.up)


def _legend(stays: list[Stay]) -> tuple[Entry, ...]:
    """What there is on the map, from further down to further up."""
    words = {
        "same": "as before",
        **{f"down{n}": f"{n} rung{'s' * (n > 1)} lower" for n in (1, 2)},
        "down3": "3 rungs lower or more",
        **{f"up{n}": f"{n} rung{'s' * (n > 1)} higher" for n in (1, 2)},
        "up3": "3 rungs higher or more",
        "other": "a rung that only one has",
    }
    tones = {_tone(stay) for stay in stays}
    return tuple(Entry(text, tone, "area") for tone, text in words.items() if tone in tones)


def _stays(old: Ladder, new: Ladder, shown: Extent) -> Iterator[Stay]:
    """Each range of loads and ages within which neither ladder changes its answer."""
    rows = guarded_rows(old), guarded_rows(new)
    firsts = sorted({row.first_load for side in rows for row in side if row.first_load} | {0})
    firsts = [first for first in firsts if first <= shown.last_load]
    for first, following in zip(firsts, [*firsts[1:], None], strict=True):
        before, after = (_row_at(side, first) for side in rows)
        end = shown.last_load + 1 if following is None else following
        left, right = shown.edges(first, end)
        if right > left:
            last = None if following is None else following - 1
            loads = shown.loads(first, last)
            yield from _by_age(old, new, before, after, (left, right, loads))


def _row_at(rows: tuple[Row, ...], load: int) -> Row:
    return rows[max(bisect_right([row.first_load for row in rows], load) - 1, 0)]


def _by_age(
    old: Ladder, new: Ladder, before: Row, after: Row, loads: tuple[float, float, str]
) -> Iterator[Stay]:
    labels = matched_labels(old, new)
    starts = admission_text(before.admission), admission_text(after.admission)
    ages_us = sorted({climb.age_us for climb in (*before.climbs, *after.climbs)})
    for first_us, last_us in itertools.zip_longest(ages_us, ages_us[1:]):
        was, now = labels[0][rung_at(before, first_us)], labels[1][rung_at(after, first_us)]
        places = [labels[1].index(name) if name in labels[1] else None for name in (was, now)]
        up = None if None in places else (places[1] or 0) - (places[0] or 0)
        yield Stay(*loads, first_us, last_us, was, now, up, starts)


def _numbers(name: str, stays: list[Stay]) -> Numbers:
    rows = tuple(
        (
            stay.loads,
            *stay.starts,
            ms(stay.first_us),
            "" if stay.last_us is None else ms(stay.last_us),
            stay.old,
            stay.new,
        )
        for stay in stays
    )
    heads = ("load", "starts", "starts now", "from age [ms]", "to age [ms]", "rung", "rung now")
    return Numbers(name, heads, rows)
