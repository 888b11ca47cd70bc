"""Map of a change: by load and age, how many rungs higher the new ladder runs a request."""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from tailc.diff.rows import matched_labels
from tailc.forms.ladder.lookup import rung_at
from tailc.forms.ladder.table import Ladder, Row
from tailc.report.pictures.figure import Figure, Numbers
from tailc.report.pictures.ladder_map import Extent, extent, guarded_rows, ms
from tailc.report.pictures.plot import LegendEntry, Plot
from tailc.report.pictures.tones import change_tone
from tailc.report.policy import admission_text
from tailc.units import format_us

_HEIGHT = 420.0
_US_PER_MS = 1_000


@dataclass(frozen=True)
class ConstantArea:
    """A rectangle of loads and ages in which the rung is constant in each of two ladders.

    old, new: the rungs. up: number of rungs by which the new ladder's is higher; None: the old rung
    is not in the new ladder. last_us: None means no end. starts: how waiting requests start in
    each.
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
    """Draw the areas where the answers differ; None if `without_change_map` gives a reason."""
    if without_change_map(old, new):
        return None
    map_extent = extent(old, new)
    stays = list(_constant_areas(old, new, map_extent))
    plot = Plot(map_extent.x, map_extent.y, _legend(stays), _HEIGHT)
    marks = []
    for stay in stays:
        end_us = (
            map_extent.last_age_us
            if stay.last_us is None
            else min(stay.last_us, map_extent.last_age_us)
        )
        until = "on" if stay.last_us is None else f"to {format_us(stay.last_us)}"
        ages = f"age {format_us(stay.first_us)} {until}"
        caption = f"{stay.loads}, {ages}: {stay.old} -> {stay.new}"
        if end_us > stay.first_us:
            y = stay.first_us / _US_PER_MS, end_us / _US_PER_MS
            marks.append(plot.cell((stay.left, stay.right), y, _tone(stay), caption))
    caption = "Loads and ages at which a request runs on another rung than before."
    if any(stay.starts[0] != stay.starts[1] for stay in stays):
        caption += " The table also has the loads at which requests start in another way."
    numbers = (_numbers(ident, stays),)
    return plot.figure(ident, title, caption, numbers, marks)


def without_change_map(old: Ladder | None, new: Ladder) -> str:
    """Reason why there is no map of a change; empty if there is one.

    old: None if the old policy has no ladder for the class of requests.
    """
    if old is None:
        return "the old policy has no such ladder"
    return "" if old.load_axis is new.load_axis else "the two ladders count load differently"


def _tone(stay: ConstantArea) -> str:
    return "other" if stay.up is None else change_tone(stay.up)


def _legend(stays: list[ConstantArea]) -> tuple[LegendEntry, ...]:
    """Legend of the changes on the map, from lower to higher."""
    words = {
        "same": "as before",
        **{f"down{n}": f"{n} rung{'s' * (n > 1)} lower" for n in (1, 2)},
        "down3": "3 rungs lower or more",
        **{f"up{n}": f"{n} rung{'s' * (n > 1)} higher" for n in (1, 2)},
        "up3": "3 rungs higher or more",
        "other": "a rung that only one has",
    }
    tones = {_tone(stay) for stay in stays}
    return tuple(LegendEntry(text, tone, "area") for tone, text in words.items() if tone in tones)


def _constant_areas(old: Ladder, new: Ladder, map_extent: Extent) -> Iterator[ConstantArea]:
    """Yield the rectangles of constant answers for all loads and ages on the map."""
    rows = guarded_rows(old), guarded_rows(new)
    firsts = sorted({row.first_load for side in rows for row in side if row.first_load} | {0})
    firsts = [first for first in firsts if first <= map_extent.last_load]
    for first, following in zip(firsts, [*firsts[1:], None], strict=True):
        before, after = (_row_at(side, first) for side in rows)
        end = map_extent.last_load + 1 if following is None else following
        left, right = map_extent.edges(first, end)
        if right > left:
            last = None if following is None else following - 1
            loads = map_extent.loads(first, last)
            yield from _by_age(old, new, before, after, (left, right, loads))


def _row_at(rows: tuple[Row, ...], load: int) -> Row:
    return rows[max(bisect_right([row.first_load for row in rows], load) - 1, 0)]


def _by_age(
    old: Ladder, new: Ladder, before: Row, after: Row, loads: tuple[float, float, str]
) -> Iterator[ConstantArea]:
    labels = matched_labels(old, new)
    starts = admission_text(before.admission), admission_text(after.admission)
    ages_us = sorted({climb.age_us for climb in (*before.climbs, *after.climbs)})
    for first_us, last_us in itertools.zip_longest(ages_us, ages_us[1:]):
        was, now = labels[0][rung_at(before, first_us)], labels[1][rung_at(after, first_us)]
        places = [labels[1].index(name) if name in labels[1] else None for name in (was, now)]
        up = None if None in places else (places[1] or 0) - (places[0] or 0)
        yield ConstantArea(*loads, first_us, last_us, was, now, up, starts)


def _numbers(name: str, stays: list[ConstantArea]) -> Numbers:
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
