"""Axes of characters around lines of marks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tailc.report.page.axis import Axis
from tailc.report.terminal.look import Look, Mark

NARROWEST, WIDEST = 40, 120
HEIGHT = 16
# Room for the numbers beside an axis, and the axis itself.
LEFT = 9


def columns_of(look: Look) -> int:
    """Marks in a line: as many as the terminal has room for, and as can be read."""
    return max(min(look.width, WIDEST), NARROWEST) - LEFT


def middle(axis: Axis, place: int, places: int) -> float:
    """What stands in the middle of a column or a line; of a linear axis."""
    return axis.low + (place + 0.5) / places * (axis.high - axis.low)


def column_of(axis: Axis, value: float, columns: int) -> int:
    """From the left."""
    return min(int(axis.at(value) * columns), columns - 1)


def line_of(axis: Axis, value: float) -> int:
    """From the top."""
    return HEIGHT - 1 - min(int(axis.at(value) * HEIGHT), HEIGHT - 1)


def framed(
    cells: Sequence[Sequence[str]], x: Axis, y: Axis, look: Look, marks: Mapping[str, Mark]
) -> list[str]:
    """Lines of plain marks, from the highest, between both axes.

    cells: `HEIGHT` lines of `columns_of(look)` marks each.
    """
    beside = {line_of(y, value): text for value, text in y.ticks}
    edge = look.frame("|")
    lines = [
        f"{beside.get(line, ''):>{LEFT - 2}} {edge}{look.painted(row, marks)}".rstrip()
        for line, row in enumerate(cells)
    ]
    return [y.title, *lines, *_below(x, look)]


def _below(axis: Axis, look: Look) -> list[str]:
    """The axis, as many of its numbers as have room, and what it is."""
    columns, numbers = columns_of(look), ""
    for value, text in axis.ticks:
        at = LEFT + column_of(axis, value, columns) - len(text) // 2
        if at > len(numbers) and at + len(text) <= LEFT + columns:
            numbers = f"{numbers:{at}}{text}"
    line = look.frame("+" + "-" * columns)
    return [f"{'':{LEFT - 1}}{line}", numbers, f"{axis.title:^{LEFT + columns}}".rstrip()]
