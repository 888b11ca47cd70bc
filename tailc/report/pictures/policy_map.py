"""Map of a ladder: the rung of a request by load and age, and where requests spend time."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence

from markupsafe import Markup

from tailc.forms.ladder.table import AdmissionKind, Ladder, LoadAxis, Rung
from tailc.models.occupancy import Occupancy
from tailc.percentiles import PPM
from tailc.report.pictures.figure import Figure, Numbers
from tailc.report.pictures.ladder_map import Extent, RowSpan, extent, ms
from tailc.report.pictures.plot import LegendEntry, Plot
from tailc.report.pictures.svg import element
from tailc.report.pictures.tones import rung_tone
from tailc.report.policy import admission_text
from tailc.units import format_us

_HEIGHT = 420.0
_STRIP = 18.0
# Rows and columns of dots, few enough that the map stays visible.
_COLUMNS, _LINES = 24, 15
_MOST_DOTS = 500
_LEAST_RADIUS = 0.8
_STARTS = {AdmissionKind.AT_ONCE: "at-once", AdmissionKind.DELAY: "delay",
           AdmissionKind.ON_EXIT: "on-exit"}  # fmt: skip


def map_figure(ident: str, title: str, ladder: Ladder, occupancy: Occupancy | None) -> Figure:
    """Draw a ladder as a map of loads and ages: one colour per rung.

    Dots show where requests spend their time.
    """
    map_extent = extent(ladder, occupancy=occupancy)
    waits = any(row.admission.kind is not AdmissionKind.AT_ONCE for row in ladder.rows)
    dots = _dots(map_extent, occupancy)
    plot = Plot(
        map_extent.x,
        map_extent.y,
        _legend(ladder, waits, bool(dots)),
        _HEIGHT,
        _STRIP if waits else 0.0,
    )
    marks = [
        mark for span in map_extent.spans(ladder) for mark in _areas(plot, span, ladder, map_extent)
    ]
    if waits:
        marks += [_start(plot, span) for span in map_extent.spans(ladder)]
    marks += _dot_marks(plot, dots)
    caption = _caption(ladder, waits, dots)
    numbers = [_rows(ident, ladder, map_extent)]
    numbers += [_occupancy(ident, dots)] if dots else []
    return plot.figure(ident, title, caption, tuple(numbers), marks)


def _legend(ladder: Ladder, waits: bool, has_dots: bool) -> tuple[LegendEntry, ...]:
    rungs = [
        LegendEntry(rung.name, rung_tone(number, len(ladder.rungs)), "area")
        for number, rung in enumerate(ladder.rungs)
    ]
    if waits:
        rungs += [LegendEntry("starts at once", "at-once", "area")]
        kinds = {row.admission.kind for row in ladder.rows}
        rungs += [LegendEntry("starts after a delay", "delay", "area")] * (
            AdmissionKind.DELAY in kinds
        )
        rungs += [LegendEntry("starts at an exit", "on-exit", "area")] * (
            AdmissionKind.ON_EXIT in kinds
        )
    return (*rungs, *([LegendEntry("time of requests", "traffic", "dot")] * has_dots))


def _areas(plot: Plot, span: RowSpan, ladder: Ladder, map_extent: Extent) -> Iterator[Markup]:
    for rung, number, first_us, last_us in _rung_ages(span, ladder):
        end_us = map_extent.last_age_us if last_us is None else min(last_us, map_extent.last_age_us)
        until = "on" if last_us is None else f"to {format_us(last_us)}"
        caption = f"{span.loads}, age {format_us(first_us)} {until}: {rung.name}"
        ages = first_us / 1_000, end_us / 1_000
        tone = rung_tone(number, len(ladder.rungs))
        yield plot.cell((span.left, span.right), ages, tone, caption)


def _rung_ages(span: RowSpan, ladder: Ladder) -> Iterator[tuple[Rung, int, int, int | None]]:
    """Yield each rung of a row, its number, and its first and last age [us]; None: no end."""
    for climb, following in itertools.zip_longest(span.row.climbs, span.row.climbs[1:]):
        last_us = None if following is None else following.age_us
        yield ladder.rungs[climb.rung], climb.rung, climb.age_us, last_us


def _start(plot: Plot, span: RowSpan) -> Markup:
    """Cell in the strip above the map that shows how requests start."""
    (left, _), (right, _) = plot.to_canvas(span.left, 0.0), plot.to_canvas(span.right, 0.0)
    tone = _STARTS[span.row.admission.kind]
    caption = f"{span.loads}: starts {admission_text(span.row.admission)}"
    title = element("title", caption)
    up = plot.top - _STRIP + 2
    return element(
        "rect", title, class_=f"cell {tone}", x=left, y=up, width=right - left, height=12
    )


def _dots(map_extent: Extent, occupancy: Occupancy | None) -> list[tuple[float, float, int]]:
    """Load, age [ms] and share of time of the largest shares, ordered by load and age."""
    if occupancy is None or map_extent.axis is LoadAxis.RATE:
        return []
    wide = max(1, -(-map_extent.last_load // _COLUMNS))
    ages = map_extent.last_age_us / occupancy.step_us
    tall = max(1, math.ceil(ages / _LINES))
    shares: dict[tuple[int, int], int] = {}
    for load, row in enumerate(occupancy.share_ppm):
        for age, share in enumerate(row):
            # The last age includes all larger ones, so it has no position.
            is_whole = (age // tall + 1) * tall <= min(ages, len(row) - 1)
            if share and 0 < load <= map_extent.last_load and is_whole:
                cell = (load - 1) // wide, age // tall
                shares[cell] = shares.get(cell, 0) + share
    largest = sorted(shares, key=lambda cell: (-shares[cell], cell))[:_MOST_DOTS]
    step_ms = occupancy.step_us * tall / 1_000
    return [
        (1 + x * wide + (wide - 1) / 2, (y + 0.5) * step_ms, shares[x, y])
        for x, y in sorted(largest)
    ]


def _dot_marks(plot: Plot, dots: Sequence[tuple[float, float, int]]) -> Iterable[Markup]:
    most = max((share for _, _, share in dots), default=1)
    (left, low), (right, high) = (
        plot.to_canvas(plot.x.low, plot.y.low),
        plot.to_canvas(plot.x.high, plot.y.high),
    )
    columns = min(plot.x.high - plot.x.low, _COLUMNS)
    largest = min((right - left) / columns, (low - high) / _LINES) / 2
    for load, age_ms, share in dots:
        x, y = plot.to_canvas(load, age_ms)
        radius = max(largest * math.sqrt(share / most), _LEAST_RADIUS)
        caption = f"{share / PPM:.2%} of the time of requests"
        yield element("circle", element("title", caption), class_="traffic", cx=x, cy=y, r=radius)


def _caption(ladder: Ladder, waits: bool, dots: Sequence[object]) -> str:
    load = "requests in the system" if ladder.load_axis is LoadAxis.IN_SYSTEM else "arrival rate"
    parts = [f"The rung on which a request runs, by {load} and age, slow to fast."]
    if waits:
        parts.append("The strip above shows how requests start.")
    if dots:
        parts.append(
            "The area of a dot is the share of time that requests are at its load and age."
        )
    return " ".join(parts)


def _rows(name: str, ladder: Ladder, map_extent: Extent) -> Numbers:
    rows = [
        (
            span.loads,
            admission_text(span.row.admission),
            rung.name,
            ms(first_us),
            "" if last_us is None else ms(last_us),
        )
        for span in map_extent.spans(ladder)
        for rung, _, first_us, last_us in _rung_ages(span, ladder)
    ]
    heads = ("load", "starts", "rung", "from age [ms]", "to age [ms]")
    return Numbers(name, heads, tuple(rows))


def _occupancy(name: str, dots: Sequence[tuple[float, float, int]]) -> Numbers:
    heads = ("in system", "age [ms]", "share of time [%]")
    rows = [(f"{load:g}", f"{age_ms:.3f}", f"{share * 100 / PPM:.4f}")
            for load, age_ms, share in dots]  # fmt: skip
    return Numbers(f"{name}-traffic", heads, tuple(rows))
