"""Frame of an SVG picture: axes, grid, marks and legend on a canvas of fixed width.

Colours are CSS classes; `styles` defines them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from markupsafe import Markup

from tailc.report.pictures.axis import Axis
from tailc.report.pictures.figure import Figure, Numbers, Picture
from tailc.report.pictures.svg import element, join_markup, number, path

WIDTH, HEIGHT = 760.0, 380.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 74.0, 22.0, 14.0, 52.0
_LEGEND_LINE = 20.0
# Average width of a character, and the height of a line of text.
CHARACTER, LINE = 6.7, 13.0
# Room between the left edge and the labels of the ticks, and between these and the plot area.
_BEFORE_TICKS = 28.0
_SWATCH = 30.0
_DOT = 3.2

Point = tuple[float, float]


@dataclass(frozen=True)
class LegendEntry:
    """An entry of the legend: its text and its CSS class.

    shape: `line`, `area` or `dot`.
    """

    text: str
    tone: str
    shape: str = "line"


@dataclass(frozen=True)
class Plot:
    """Axes and legend of a picture, and methods that draw marks at values.

    strip: height between the legend and the axes.
    """

    x: Axis
    y: Axis
    legend: tuple[LegendEntry, ...] = ()
    height: float = HEIGHT
    strip: float = 0.0
    _rows: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_rows", len(_legend_rows(self.legend)))

    def with_area(self, height: float) -> Plot:
        """Return the same picture frame with a plot area of this height."""
        return replace(self, height=self.top + height + _BOTTOM)

    @property
    def top(self) -> float:
        """Upper end of the plot area on the canvas, below the legend."""
        return _TOP + _LEGEND_LINE * self._rows + self.strip

    @property
    def left(self) -> float:
        """Left end of the plot area on the canvas, after the tick labels."""
        longest = max((len(text) for _, text in self.y.ticks), default=0)
        return max(_LEFT, _BEFORE_TICKS + CHARACTER * longest)

    @property
    def width(self) -> float:
        """Width of the plot area on the canvas."""
        return WIDTH - self.left - _RIGHT

    @property
    def bottom(self) -> float:
        """Lower end of the plot area on the canvas, above the tick labels."""
        return self.height - _BOTTOM

    def to_canvas(self, x: float, y: float) -> Point:
        """Convert a point in the units of the axes to coordinates on the canvas."""
        across = self.left + self.x.fraction(x) * self.width
        return across, self.bottom - self.y.fraction(y) * (self.bottom - self.top)

    def line(self, points: Iterable[Point], tone: str) -> Markup:
        """Draw a line through the points, given in units of the axes."""
        return element("path", class_=f"line {tone}", d=path(self.to_canvas(*p) for p in points))

    def band(self, upper: Sequence[Point], lower: Sequence[Point], tone: str) -> Markup:
        """Translucent area between two lines over the same values."""
        outline = [self.to_canvas(*p) for p in (*upper, *reversed(lower))]
        return element("path", class_=f"band {tone}", d=path(outline) + "Z")

    def area(
        self, upper: Sequence[Point], lower: Sequence[Point], tone: str, tooltip: str
    ) -> Markup:
        """Opaque area between two lines over the same values, with a tooltip."""
        outline = [self.to_canvas(*p) for p in (*upper, *reversed(lower))]
        title = element("title", tooltip)
        return element("path", title, class_=f"area {tone}", d=path(outline) + "Z")

    def rectangles(self, areas: Iterable[tuple[Point, Point]], tone: str, tooltip: str) -> Markup:
        """Opaque rectangles with one tooltip; a rectangle is given by two opposite corners."""
        steps = []
        for low, high in areas:
            (left, bottom), (right, top) = self.to_canvas(*low), self.to_canvas(*high)
            wide, tall = number(right - left), number(bottom - top)
            steps.append(f"M{number(left)} {number(top)}h{wide}v{tall}h-{wide}z")
        title = element("title", tooltip)
        return element("path", title, class_=f"area {tone}", d="".join(steps))

    def dot(self, point: Point, tone: str, tooltip: str) -> Markup:
        """Draw a dot with a tooltip."""
        x, y = self.to_canvas(*point)
        return element(
            "circle", element("title", tooltip), class_=f"dot {tone}", cx=x, cy=y, r=_DOT
        )

    def ring(self, point: Point, tone: str) -> Markup:
        """Draw a ring that highlights a dot."""
        x, y = self.to_canvas(*point)
        return element("circle", class_=f"ring {tone}", cx=x, cy=y, r=2.5 * _DOT)

    def disc(self, center: Point, radius: float, tone: str, tooltip: str) -> Markup:
        """Circle with a tooltip; `radius` is in units of the horizontal axis."""
        x, y = self.to_canvas(*center)
        across, _ = self.to_canvas(center[0] + radius, center[1])
        title = element("title", tooltip)
        return element("circle", title, class_=f"disc {tone}", cx=x, cy=y, r=across - x)

    def bar(self, x: float, low: float, high: float, tone: str) -> Markup:
        """Vertical bar at `x` from `low` to `high`, such as a confidence interval."""
        (across, bottom), (_, top) = self.to_canvas(x, low), self.to_canvas(x, high)
        return element("line", class_=f"bar {tone}", x1=across, x2=across, y1=bottom, y2=top)

    def cell(self, x: Point, y: Point, tone: str, tooltip: str) -> Markup:
        """Rectangle with a tooltip; x and y: its two ends along either axis."""
        (left, bottom), (right, top) = self.to_canvas(x[0], y[0]), self.to_canvas(x[1], y[1])
        return element(
            "rect",
            element("title", tooltip),
            class_=f"cell {tone}",
            x=left,
            y=top,
            width=right - left,
            height=bottom - top,
        )

    def text(self, center: Point, text: str, tone: str) -> Markup:
        """Draw text in the middle of a mark."""
        x, y = self.to_canvas(*center)
        return element("text", text, class_=f"{tone} middle", x=x, y=y + 4)

    def rule(self, y: float) -> Markup:
        """Draw a horizontal line of the grid."""
        left, across = self.to_canvas(self.x.low, y)
        return element("line", class_="grid", x1=left, x2=WIDTH - _RIGHT, y1=across, y2=across)

    def level(self, y: float, label: str) -> Markup:
        """Draw a horizontal limit line with a label at its left end."""
        left, across = self.to_canvas(self.x.low, y)
        right, _ = self.to_canvas(self.x.high, y)
        return join_markup(
            (
                element("line", class_="limit", x1=left, x2=right, y1=across, y2=across),
                element("text", label, class_="said", x=left + 6, y=across - 5),
            )
        )

    def upright(self, x: float, label: str) -> Markup:
        """Draw a vertical limit line with a label at its upper end."""
        across, bottom = self.to_canvas(x, self.y.low)
        _, top = self.to_canvas(x, self.y.high)
        anchor = "said end" if self.x.fraction(x) > 0.75 else "said"
        aside = -5 if self.x.fraction(x) > 0.75 else 5
        return join_markup(
            (
                element("line", class_="limit", x1=across, x2=across, y1=bottom, y2=top),
                element("text", label, class_=anchor, x=across + aside, y=top + 12),
            )
        )

    def corner(self, end: Point, label: str) -> Markup:
        """Limit up to a percentile: a horizontal line that ends in a vertical drop, labelled."""
        (left, _), (x, y) = self.to_canvas(self.x.low, self.y.low), end
        drop = f"M{number(left)} {number(y)}H{number(x)}V{number(self.bottom)}"
        return join_markup(
            (
                element("path", class_="limit", d=drop),
                element("text", label, class_="said", x=left + 6, y=y - 5),
            )
        )

    def figure(
        self,
        ident: str,
        title: str,
        caption: str,
        numbers: Sequence[Numbers],
        marks: Iterable[str],
    ) -> Figure:
        """Build the figure from marks, with title, caption and numbers.

        The title and the caption are also its name and description for screen readers.
        """
        svg = element(
            "svg",
            element("title", title, id=f"{ident}-title"),
            element("desc", caption, id=f"{ident}-says"),
            *self._grid(),
            element("g", *marks),
            *self._legend(),
            xmlns="http://www.w3.org/2000/svg",
            width=WIDTH,
            height=self.height,
            viewBox=f"0 0 {number(WIDTH)} {number(self.height)}",
            role="img",
            aria_labelledby=f"{ident}-title {ident}-says",
        )
        return Figure(ident, title, caption, tuple(numbers), Picture(svg, self.height))

    def _grid(self) -> Iterable[Markup]:
        for value, text in self.x.ticks:
            across, bottom = self.to_canvas(value, self.y.low)
            if self.x.has_grid:
                yield element("line", class_="grid", x1=across, x2=across, y1=bottom, y2=self.top)
            for place, part in enumerate(text.split("\n")):
                # A long label at the right end is moved to the left of the edge.
                fits = across + CHARACTER * len(part) / 2 <= WIDTH
                at, anchor = (across, "middle") if fits else (WIDTH - 2, "end")
                down = bottom + 17 + LINE * place
                yield element("text", part, class_=f"tick {anchor}", x=at, y=down)
        for value, text in self.y.ticks:
            left, up = self.to_canvas(self.x.low, value)
            if self.y.has_grid:
                yield self.rule(value)
            yield element("text", text, class_="tick end", x=left - 7, y=up + 4)
        middle = (self.left + WIDTH - _RIGHT) / 2
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


def _swatch(entry: LegendEntry, across: float, up: float) -> Markup:
    if entry.shape == "area":
        tone = f"cell {entry.tone}"
        return element("rect", class_=tone, x=across + 4, y=up - 6, width=20, height=12)
    if entry.shape == "dot":
        return element("circle", class_=f"dot {entry.tone}", cx=across + 14, cy=up, r=_DOT + 1)
    return element("line", class_=f"line {entry.tone}", x1=across + 2, x2=across + 25, y1=up, y2=up)


def _entry_width(entry: LegendEntry) -> float:
    return _SWATCH + CHARACTER * len(entry.text) + 16


def _legend_rows(entries: Sequence[LegendEntry]) -> list[list[LegendEntry]]:
    """Distribute the entries in order over as few rows as possible."""
    rows: list[list[LegendEntry]] = []
    room = 0.0
    for entry in entries:
        width = _entry_width(entry)
        if not rows or width > room:
            rows.append([])
            room = WIDTH - _LEFT - _RIGHT
        rows[-1].append(entry)
        room -= width
    return rows
