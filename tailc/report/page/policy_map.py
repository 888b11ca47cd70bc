"""The map of a ladder: which rung a request runs on, by load and age, and where requests are."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence

from markupsafe import Markup

from tailc.forms.ladder.table import AdmissionKind, Ladder, LoadAxis, Rung
from tailc.models.occupancy import Occupancy
from tailc.percentiles import PPM
from tailc.report.page.figure import Figure, Numbers
from tailc.report.page.ladder_map import Extent, Span, extent, ms
from tailc.report.page.plot import Entry, Plot
from tailc.report.page.svg import element
from tailc.report.page.tones import rung_tone
from tailc.report.policy import admission_text
from tailc.units import format_us

_HEIGHT = 420.0
_STRIP = 18.0
# So many dots either way tell where requests are without hiding the map.
_COLUMNS, _LINES = 24, 15
_MOST_DOTS = 500
_LEAST_RADIUS = 0.8
_STARTS = {AdmissionKind.AT_ONCE: "at-once", AdmissionKind.DELAY: "delay",
           AdmissionKind.ON_EXIT: "on-exit"}  # fmt: skip


def map_figure(ident: str, title: str, ladder: Ladder, occupancy: Occupancy | None) -> Figure:
    """The rows as areas of one colour a rung, and dots where requests spend their time."""
    shown = extent(ladder, occupancy=occupancy)
    waits = any(row.admission.kind is not AdmissionKind.AT_ONCE for row in ladder.rows)
    dots = _dots(shown, occupancy)
    plot = Plot(
        shown.x, shown.y, _legend(ladder, waits, bool(dots)), _HEIGHT, _STRIP if waits else 0.0
    )
    marks = [mark for span in shown.spans(ladder) for mark in _areas(plot, span, ladder, shown)]
    if waits:
        marks += [_start(plot, span) for span in shown.spans(ladder)]
    marks += _drawn_dots(plot, dots)
    says = _says(ladder, waits, dots)
    numbers = [_rows(ident, ladder, shown)]
    numbers += [_occupancy(ident, dots)] if dots else []
    return Figure(ident, title, says, tuple(numbers), plot.drawn(ident, title, says, marks))


def _legend(ladder: Ladder, waits: bool, has_dots: bool) -> tuple[Entry, ...]:
    rungs = [
        Entry(rung.name, rung_tone(number, len(ladder.rungs)), "area")
        for number, rung in enumerate(ladder.rungs)
    ]
    if waits:
        rungs += [Entry("starts at once", "at-once", "area")]
        kinds = {row.admission.kind for row in ladder.rows}
        rungs += [Entry("starts after a delay", "delay", "area")] * (AdmissionKind.DELAY in kinds)
        rungs += [Entry("starts at an exit", "on-exit", "area")] * (AdmissionKind.ON_EXIT in kinds)
    return (*rungs, *([Entry("time of requests", "traffic", "dot")] * has_dots))


def _areas(plot: Plot, span: Span, ladder: Ladder, shown: Extent) -> Iterator[Markup]:
    for rung, number, first_us, last_us in _stays(span, ladder):
        end_us = shown.last_age_us if last_us is None else min(last_us, shown.last_age_us)
        until = "on" if last_us is None else f"to {format_us(last_us)}"
        says = f"{span.loads}, age {format_us(first_us)} {until}: {rung.name}"
        ages = first_us / 1_000, end_us / 1_000
        tone = rung_tone(number, len(ladder.rungs))
        yield plot.cell((span.left, span.right), ages, tone, says)


def _stays(span: Span, ladder: Ladder) -> Iterator[tuple[Rung, int, int, int | None]]:
    """Each rung of a row with its number, from which age and up to which; None: for ever."""
    for climb, following in itertools.zip_longest(span.row.climbs, span.row.climbs[1:]):
        last_us = None if following is None else following.age_us
        yield ladder.rungs[climb.rung], climb.rung, climb.age_us, last_us


def _start(plot: Plot, span: Span) -> Markup:
    """How requests start, in a strip above the map."""
    (left, _), (right, _) = plot.at(span.left, 0.0), plot.at(span.right, 0.0)
    tone = _STARTS[span.row.admission.kind]
    says = f"{span.loads}: starts {admission_text(span.row.admission)}"
    title = element("title", says)
    up = plot.top - _STRIP + 2
    return element(
        "rect", title, class_=f"cell {tone}", x=left, y=up, width=right - left, height=12
    )


def _dots(shown: Extent, occupancy: Occupancy | None) -> list[tuple[float, float, int]]:
    """Load, age [ms] and share of the time, the largest shares, in order of load and age."""
    if occupancy is None or shown.axis is LoadAxis.RATE:
        return []
    wide = max(1, -(-shown.last_load // _COLUMNS))
    ages = shown.last_age_us / occupancy.step_us
    tall = max(1, math.ceil(ages / _LINES))
    shares: dict[tuple[int, int], int] = {}
    for load, row in enumerate(occupancy.share_ppm):
        for age, share in enumerate(row):
            # The last age counts all beyond: it has no place of its own.
            is_whole = (age // tall + 1) * tall <= min(ages, len(row) - 1)
            if share and 0 < load <= shown.last_load and is_whole:
                cell = (load - 1) // wide, age // tall
                shares[cell] = shares.get(cell, 0) + share
    largest = sorted(shares, key=lambda cell: (-shares[cell], cell))[:_MOST_DOTS]
    step_ms = occupancy.step_us * tall / 1_000
    return [
        (1 + x * wide + (wide - 1) / 2, (y + 0.5) * step_ms, shares[x, y])
        for x, y in sorted(largest)
    ]


def _drawn_dots(plot: Plot, dots: Sequence[tuple[float, float, int]]) -> Iterable[Markup]:
    most = max((share for _, _, share in dots), default=1)
    (left, low), (right, high) = (
        plot.at(plot.x.low, plot.y.low),
        plot.at(plot.x.high, plot.y.high),
    )
    columns = min(plot.x.high - plot.x.low, _COLUMNS)
    largest = min((right - left) / columns, (low - high) / _LINES) / 2
    for load, age_ms, share in dots:
        x, y = plot.at(load, age_ms)
        radius = max(largest * math.sqrt(share / most), _LEAST_RADIUS)
        says = f"{share / PPM:.2%} of the time of requests"
        yield element("circle", element("title", says), class_="traffic", cx=x, cy=y, r=radius)


def _says(ladder: Ladder, waits: bool, dots: Sequence[object]) -> str:
    load = "requests in the system" if ladder.load_axis is LoadAxis.IN_SYSTEM else "arrival rate"
    parts = [f"The rung on which a request runs, by {load} and age, slow to fast."]
    if waits:
        parts.append("The strip above says how requests start.")
    if dots:
        parts.append("The area of a dot is the share of their time that requests spend there.")
    return " ".join(parts)


def _rows(name: str, ladder: Ladder, shown: Extent) -> Numbers:
    rows = [
        (
            span.loads,
            admission_text(span.row.admission),
            rung.name,
            ms(first_us),
            "" if last_us is None else ms(last_us),
        )
        for span in shown.spans(ladder)
        for rung, _, first_us, last_us in _stays(span, ladder)
    ]
    heads = ("load", "starts", "rung", "from age [ms]", "to age [ms]")
    return Numbers(name, heads, tuple(rows))


def _occupancy(name: str, dots: Sequence[tuple[float, float, int]]) -> Numbers:
    heads = ("in system", "age [ms]", "share of time [%]")
    rows = [(f"{load:g}", f"{age_ms:.3f}", f"{share * 100 / PPM:.4f}")
            for load, age_ms, share in dots]  # fmt: skip
    return Numbers(f"{name}-traffic", heads, tuple(rows))
