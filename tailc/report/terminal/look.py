"""Capabilities of a terminal, and how it shows the marks of a picture."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

# All marks beyond ASCII that a picture may have.
FINE_MARKS = "│─└●○◆↑↓⇑⇓"
_FRAME = {"|": "│", "+": "└", "-": "─"}
_RESET = "\x1b[0m"
# Separates entries of a legend.
_SEPARATOR = "  "


@dataclass(frozen=True)
class Mark:
    """How a mark of a text picture is shown in terminals with more capabilities.

    tone: parameters of the escape sequence SGR (ECMA-48, 8.3.117). fine: one of `FINE_MARKS`, or
    empty to keep the plain mark.
    """

    tone: str
    fine: str = ""


@dataclass(frozen=True)
class TerminalStyle:
    """Width of pictures, and whether they may have colours and marks beyond ASCII.

    The same content and style give the same picture.
    """

    width: int = 80
    has_colours: bool = False
    has_fine_marks: bool = False

    def frame(self, plain: str) -> str:
        """Convert a part of a picture's frame to the characters that the terminal can show."""
        return "".join(_FRAME[one] for one in plain) if self.has_fine_marks else plain

    def paint(self, plain: Sequence[str], marks: Mapping[str, Mark]) -> str:
        """Convert a line of plain marks to those of the terminal; other characters stay."""
        runs = ((one, "".join(run)) for one, run in itertools.groupby(plain))
        return "".join(self._paint_run(run, marks.get(one)) for one, run in runs)

    def legend(self, entries: Iterable[tuple[str, str]], marks: Mapping[str, Mark]) -> str:
        """Format the meaning of each mark, in as many lines as the width requires."""
        lines: list[list[str]] = [[]]
        length = 0
        for plain, meaning in entries:
            more = len(plain) + 1 + len(meaning) + len(_SEPARATOR)
            if lines[-1] and length + more - len(_SEPARATOR) > self.width:
                lines.append([])
                length = 0
            lines[-1].append(f"{self.paint(plain, marks)} {meaning}")
            length += more
        return "\n".join(map(_SEPARATOR.join, lines))

    def _paint_run(self, run: str, mark: Mark | None) -> str:
        if mark is None:
            return run
        converted = mark.fine * len(run) if mark.fine and self.has_fine_marks else run
        return f"\x1b[{mark.tone}m{converted}{_RESET}" if self.has_colours else converted


PLAIN = TerminalStyle()
