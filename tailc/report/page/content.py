"""A page before it is written: its title, what is told at the top, and sections of figures."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tailc.report.page.figure import Figure

# A section with more of them would be too long to read, and a page too large to send.
MOST_FIGURES = 12
_LONGEST_TEXT = 150_000
_NO_ROOM = "The page has no room for more of the pictures."


@dataclass(frozen=True)
class Section:
    """Figures that belong together; `says` is a paragraph above them, or nothing."""

    ident: str
    title: str
    figures: tuple[Figure, ...] = ()
    says: str = ""
    text: str = ""

    def halved(self) -> Section:
        """With the first half of its pictures, and a sentence that says so; never without any."""
        kept = self.figures[: -(-len(self.figures) // 2)]
        if kept == self.figures:
            return self
        said = self.says.removesuffix(_NO_ROOM).strip()
        return replace(self, figures=kept, says=f"{said} {_NO_ROOM}".strip())

    @property
    def shown_text(self) -> str:
        """The text, or as many of its lines as a page has room for, and that there are more."""
        if len(self.text) <= _LONGEST_TEXT:
            return self.text
        lines = self.text[:_LONGEST_TEXT].split("\n")[:-1]
        more = self.text.count("\n") + 1 - len(lines)
        return "\n".join((*lines, f"... and {more:,} more lines, which the command prints"))


@dataclass(frozen=True)
class Page:
    """`facts` are names and values at the top; `ruling` is pass, fail, undecided, or nothing.

    `reason` is a sentence that explains the ruling, or nothing.
    """

    title: str
    kind: str
    facts: tuple[tuple[str, str], ...]
    sections: tuple[Section, ...]
    ruling: str = ""
    reason: str = ""
