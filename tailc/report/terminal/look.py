"""What a terminal can show, and the marks of a picture as it shows them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

# Every mark beyond ASCII that a picture may have.
FINE_MARKS = "│─└●○◆↑↓⇑⇓"
_FRAME = {"|": "│", "+": "└", "-": "─"}
_RESET = "\x1b[0m"
# Between entries of a legend.
_APART = "  "


@dataclass(frozen=True)
class Mark:
    """How a plain mark looks where a terminal can do more.

    tone: parameters of the escape sequence SGR (ECMA-48, 8.3.117). fine: one of `FINE_MARKS`, or
    nothing where the plain mark stays.
    """

    tone: str
    fine: str = ""


@dataclass(frozen=True)
class Look:
    """How wide a picture may be, and whether it may have colours and marks beyond ASCII.

    The picture of one content and look is always the same.
    """

    width: int = 80
    has_colours: bool = False
    has_fine_marks: bool = False

    def frame(self, plain: str) -> str:
        """A part of a frame."""
        return "".join(_FRAME[one] for one in plain) if self.has_fine_marks else plain

    def painted(self, plain: Sequence[str], marks: Mapping[str, Mark]) -> str:
        """A line of plain marks, each as its `Mark` says; one without stays as it is."""
        runs = ((one, "".join(run)) for one, run in itertools.groupby(plain))
        return "".join(self._run(run, marks.get(one)) for one, run in runs)

    def legend(self, entries: Iterable[tuple[str, str]], marks: Mapping[str, Mark]) -> str:
        """Each plain mark and what it stands for, in as many lines as the width asks for."""
        lines: list[list[str]] = [[]]
        length = 0
        for plain, says in entries:
            more = len(plain) + 1 + len(says) + len(_APART)
            if lines[-1] and length + more - len(_APART) > self.width:
                lines.append([])
                length = 0
            lines[-1].append(f"{self.painted(plain, marks)} {says}")
            length += more
        return "\n".join(map(_APART.join, lines))

    def _run(self, run: str, mark: Mark | None) -> str:
        if mark is None:
            return run
        shown = mark.fine * len(run) if mark.fine and self.has_fine_marks else run
        return f"\x1b[{mark.tone}m{shown}{_RESET}" if self.has_colours else shown


PLAIN = Look()
