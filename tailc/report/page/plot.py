"""A picture's frame: axes, grid, marks and legend, on a canvas of fixed size.

Colours are classes, for the page says what they are in the light, in the dark and on paper.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from markupsafe import Markup

from tailc.report.page.axis import Axis
from tailc.report.page.svg import element, joined, number, path

WIDTH, HEIGHT = 760.0, 380.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 74.0, 22.0, 14.0, 52.0
_LEGEND_LINE = 20.0
_TICK_LINE = 13.0
# A character is about so wide, on average.
_CHARACTER = 6.7
_SWATCH = 30.0
_DOT = 3.2

Point = tuple[float, float]


@dataclass(frozen=True)
class Entry:
    """A line of the legend: its text, and the class of what it stands for.

    shape: how that is drawn, `line`, `area` or `dot`.
    """

    text: str
    tone: str
    shape: str = "line"


@dataclass(frozen=True)
class Plot:
    """Where values stand on the canvas, and what it takes to draw them there.

    strip: room that is kept between the legend and the axes.
    """

    x: Axis
    y: Axis
    legend: tuple[Entry, ...] = ()
    height: float = HEIGHT
    strip: float = 0.0
    _rows: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_rows", len(_legend_rows(self.legend)))

    @property
    def top(self) -> float:
        """Below the legend."""
        return _TOP + _LEGEND_LINE * self._rows + self.strip

    @property
    def width(self) -> float:
        """Of what is between the ends of the axis below."""
        return WIDTH - _LEFT - _RIGHT

    @property
    def bottom(self) -> float:
        """Above the ticks."""
        return self.height - _BOTTOM

    def at(self, x: float, y: float) -> Point:
        """Where a point stands."""
        across = _LEFT + self.x.at(x) * self.width
        return across, self.bottom - self.y.at(y) * (self.bottom - self.top)

    def line(self, points: Iterable[Point], tone: str) -> Markup:
        """A line through the points."""
        return element("path", class_=f"line {tone}", d=path(self.at(*p) for p in points))

    def band(self, upper: Sequence[Point], lower: Sequence[Point], tone: str) -> Markup:
        """The area between two lines over the same values."""
        outline = [self.at(*p) for p in (*upper, *reversed(lower))]
        return element("path", class_=f"band {tone}", d=path(outline) + "Z")

    def area(self, upper: Sequence[Point], lower: Sequence[Point], tone: str, says: str) -> Markup:
        """The same, as dark as its colour is, which says something when it is pointed at."""
        outline = [self.at(*p) for p in (*upper, *reversed(lower))]
        title = element("title", says)
        return element("path", title, class_=f"area {tone}", d=path(outline) + "Z")

    def dot(self, point: Point, tone: str, says: str) -> Markup:
        """A dot that says something when it is pointed at."""
        x, y = self.at(*point)
        return element("circle", element("title", says), class_=f"dot {tone}", cx=x, cy=y, r=_DOT)

    def ring(self, point: Point, tone: str) -> Markup:
        """A circle around a dot that stands out."""
        x, y = self.at(*point)
        return element("circle", class_=f"ring {tone}", cx=x, cy=y, r=2.5 * _DOT)

    def disc(self, center: Point, radius: float, tone: str, says: str) -> Markup:
        """A circle whose radius is so many units of the axis below it."""
        x, y = self.at(*center)
        across, _ = self.at(center[0] + radius, center[1])
        title = element("title", says)
        return element("circle", title, class_=f"disc {tone}", cx=x, cy=y, r=across - x)

    def bar(self, x: float, low: float, high: float, tone: str) -> Markup:
        """A vertical interval."""
        (across, bottom), (_, top) = self.at(x, low), self.at(x, high)
        return element("line", class_=f"bar {tone}", x1=across, x2=across, y1=bottom, y2=top)

    def cell(self, x: Point, y: Point, tone: str, says: str) -> Markup:
        """A rectangle from the first to the second of either."""
        (left, bottom), (right, top) = self.at(x[0], y[0]), self.at(x[1], y[1])
        return element(
            "rect",
            element("title", says),
            class_=f"cell {tone}",
            x=left,
            y=top,
            width=right - left,
            height=bottom - top,
        )

    def level(self, y: float, says: str) -> Markup:
        """A horizontal line that is a limit, with its name at the left end."""
        left, across = self.at(self.x.low, y)
        right, _ = self.at(self.x.high, y)
        return joined(
            (
                element("line", class_="limit", x1=left, x2=right, y1=across, y2=across),
                element("text", says, class_="said", x=left + 6, y=across - 5),
            )
        )

    def upright(self, x: float, says: str) -> Markup:
        """A vertical line at a value, with its name at the upper end."""
        across, bottom = self.at(x, self.y.low)
        _, top = self.at(x, self.y.high)
        anchor = "said end" if self.x.at(x) > 0.75 else "said"
        aside = -5 if self.x.at(x) > 0.75 else 5
        return joined(
            (
                element("line", class_="limit", x1=across, x2=across, y1=bottom, y2=top),
                element("text", says, class_=anchor, x=across + aside, y=top + 12),
            )
        )

    def corner(self, at: Point, says: str) -> Markup:
        """A limit up to a percentile: a line from the left end that ends in a drop."""
        (left, _), (x, y) = self.at(self.x.low, self.y.low), at
        drop = f"M{number(left)} {number(y)}H{number(x)}V{number(self.bottom)}"
        return joined(
            (
                element("path", class_="limit", d=drop),
                element("text", says, class_="said", x=left + 6, y=y - 5),
            )
        )

    def drawn(self, ident: str, title: str, describes: str, marks: Iterable[str]) -> Markup:
        """The whole picture; `title` and `describes` are what is read to who cannot see it."""
        names = f"{ident}-title {ident}-says"
        return element(
            "svg",
            element("title", title, id=f"{ident}-title"),
            element("desc", describes, id=f"{ident}-says"),
            *self._grid(),
            element("g", *marks),
            *self._legend(),
            xmlns="http://www.w3.org/2000/svg",
            viewBox=f"0 0 {WIDTH:g} {self.height:g}",
            role="img",
            aria_labelledby=names,
        )

    def _grid(self) -> Iterable[Markup]:
        for value, text in self.x.ticks:
            across, bottom = self.at(value, self.y.low)
            yield element("line", class_="grid", x1=across, x2=across, y1=bottom, y2=self.top)
            for place, part in enumerate(text.split("\n")):
                down = bottom + 17 + _TICK_LINE * place
                yield element("text", part, class_="tick middle", x=across, y=down)
        for value, text in self.y.ticks:
            left, up = self.at(self.x.low, value)
            yield element("line", class_="grid", x1=left, x2=WIDTH - _RIGHT, y1=up, y2=up)
            yield element("text", text, class_="tick end", x=left - 7, y=up + 4)
        middle = (_LEFT + WIDTH - _RIGHT) / 2
        yield element("text", self.x.title, class_="axis middle", x=middle, y=self.height - 10)
        up = (self.top + self.bottom) / 2
        turned = f"translate(16 {up:g}) rotate(-90)"
        yield element("text", self.y.title, class_="axis middle", transform=turned)

    def _legend(self) -> Iterable[Markup]:
        for row, entries in enumerate(_legend_rows(self.legend)):
            across, up = _LEFT, _TOP + _LEGEND_LINE * row
            for entry in entries:
                yield _swatch(entry, across, up)
                yield element("text", entry.text, class_="legend", x=across + _SWATCH, y=up + 4)
                across += _entry_width(entry)


def _swatch(entry: Entry, across: float, up: float) -> Markup:
    if entry.shape == "area":
        tone = f"cell {entry.tone}"
        return element("rect", class_=tone, x=across + 4, y=up - 6, width=20, height=12)
    if entry.shape == "dot":
        return element("circle", class_=f"dot {entry.tone}", cx=across + 14, cy=up, r=_DOT + 1)
    return element("line", class_=f"line {entry.tone}", x1=across + 2, x2=across + 25, y1=up, y2=up)


def _entry_width(entry: Entry) -> float:
    return _SWATCH + _CHARACTER * len(entry.text) + 16


def _legend_rows(entries: Sequence[Entry]) -> list[list[Entry]]:
    """As few rows as hold the entries in order."""
    rows: list[list[Entry]] = []
    room = 0.0
    for entry in entries:
        width = _entry_width(entry)
        if not rows or width > room:
            rows.append([])
            room = WIDTH - _LEFT - _RIGHT
        rows[-1].append(entry)
        room -= width
    return rows
