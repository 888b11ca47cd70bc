"""Axes made of characters around the lines of a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tailc.report.pictures.axis import Axis
from tailc.report.terminal.look import Mark, TerminalStyle

NARROWEST, WIDEST = 40, 120
HEIGHT = 16
# Columns for the axis and its numbers.
LEFT = 9


def columns_of(look: TerminalStyle) -> int:
    """Number of marks per line of a text picture, by the terminal's width and readability."""
    return max(min(look.width, WIDEST), NARROWEST) - LEFT


def middle(axis: Axis, place: int, places: int) -> float:
    """Value at the middle of a column or line; only for linear axes.

    place: number of the column or line, of `places`.
    """
    return axis.low + (place + 0.5) / places * (axis.high - axis.low)


def column_of(axis: Axis, value: float, columns: int) -> int:
    """Column of a value in a picture of text, counted from the left."""
    return min(int(axis.fraction(value) * columns), columns - 1)


def line_of(axis: Axis, value: float) -> int:
    """Line of a value in a picture of text, counted from the top."""
    return HEIGHT - 1 - min(int(axis.fraction(value) * HEIGHT), HEIGHT - 1)


def add_frame(
    cells: Sequence[Sequence[str]], x: Axis, y: Axis, look: TerminalStyle, marks: Mapping[str, Mark]
) -> list[str]:
    """Draw axes around a picture of text lines; returns the lines, top first.

    cells: `HEIGHT` lines of `columns_of(look)` marks each.
    """
    labels = {line_of(y, value): text for value, text in y.ticks}
    edge = look.frame("|")
    lines = [
        f"{labels.get(line, ''):>{LEFT - 2}} {edge}{look.paint(row, marks)}".rstrip()
        for line, row in enumerate(cells)
    ]
    return [y.title, *lines, *_axis_lines(x, look)]


def _axis_lines(axis: Axis, look: TerminalStyle) -> list[str]:
    """The horizontal axis, the numbers that fit below it, and its title."""
    columns, numbers = columns_of(look), ""
    for value, text in axis.ticks:
        start = LEFT + column_of(axis, value, columns) - len(text) // 2
        if start > len(numbers) and start + len(text) <= LEFT + columns:
            numbers = f"{numbers:{start}}{text}"
    line = look.frame("+" + "-" * columns)
    return [f"{'':{LEFT - 1}}{line}", numbers, f"{axis.title:^{LEFT + columns}}".rstrip()]
