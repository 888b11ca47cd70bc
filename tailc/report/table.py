"""Text tables and Markdown tables."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from tailc.units import printable

if TYPE_CHECKING:
    from tailc.models.columns import UsageColumn

# Characters that Markdown reads as markup, or HTML as a tag.
# Characters for the end of a comment that is too long.
_ROOM = 200
_FENCE = re.compile("^`{3,}")
_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~&!])")


def align_columns(rows: Sequence[Sequence[str]], numbers: Collection[int] = ()) -> str:
    """Format rows as text columns two spaces apart; columns in `numbers` are right-aligned."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            cell.rjust(width) if place in numbers else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def pack_tables(
    first: UsageColumn, groups: Sequence[Sequence[UsageColumn]], width: int
) -> list[tuple[UsageColumn, ...]]:
    """Distribute groups of columns of a report over few tables of at most `width` characters.

    Each table begins with the column `first`. A group is never split; if it is too wide, it has a
    table of its own.
    """
    tables: list[tuple[UsageColumn, ...]] = []
    for group in groups:
        if tables and _width((*tables[-1], *group)) <= width:
            tables[-1] = (*tables[-1], *group)
        else:
            tables.append((first, *group))
    return tables


def columns_aligned(columns: Sequence[UsageColumn]) -> str:
    """Format columns as an aligned text table."""
    numbers = [place for place, column in enumerate(columns) if column.is_number]
    return align_columns(_rows(columns), numbers)


def columns_markdown(columns: Sequence[UsageColumn]) -> str:
    """Format columns as a Markdown table."""
    numbers = [place for place, column in enumerate(columns) if column.is_number]
    return as_markdown(_rows(columns), numbers)


def as_markdown(rows: Sequence[Sequence[str]], numbers: Collection[int] = ()) -> str:
    """Format rows as a Markdown table, the first row as heads; cells are escaped."""
    head, *body = [[escaped_markdown(cell) for cell in row] for row in rows]
    rule = ["---:" if place in numbers else "---" for place in range(len(head))]
    return "".join(f"| {' | '.join(row)} |\n" for row in (head, rule, *body))


def escaped_markdown(text: str) -> str:
    """Escape a text for Markdown and HTML, on one line."""
    return _MARKUP.sub(r"\\\1", printable(text))


def fence_text(text: str) -> str:
    """Format a text as a fenced block of code in Markdown; empty for an empty text."""
    if not text:
        return ""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text.rstrip()}\n{fence}\n"


def limited_comment(text: str, most: int = 65_536) -> str:
    """Markdown of at most `most` characters, the limit of GitHub for a comment.

    Whole lines are omitted at the end, and counted; an open block of code is closed.
    """
    if len(text) <= most:
        return text
    lines, shown, size = text.splitlines(keepends=True), 0, 0
    while size + len(lines[shown]) <= most - _ROOM:
        size += len(lines[shown])
        shown += 1
    kept = lines[:shown]
    fences = [found[0] for line in kept if (found := _FENCE.match(line))]
    closing = f"{fences[-1]}\n" if len(fences) % 2 else ""
    ending = f"\n{len(lines) - shown:,} more lines do not fit into a comment.\n"
    return "".join(kept) + closing + ending


def _rows(columns: Sequence[UsageColumn]) -> list[tuple[str, ...]]:
    heads = tuple(column.head for column in columns)
    return [heads, *zip(*(column.cells for column in columns), strict=True)]


def _width(columns: Sequence[UsageColumn]) -> int:
    return sum(column.width + 2 for column in columns) - 2
