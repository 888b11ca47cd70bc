"""Content of a page: title, facts at the top, and sections of figures."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tailc.report.pictures.figure import Figure

# More figures would make a section too long to read and a page too large to send.
MOST_FIGURES = 12
_LONGEST_TEXT = 150_000
_NO_ROOM = "The page has no room for more of the pictures."


@dataclass(frozen=True)
class Section:
    """A section of a page: a title, a paragraph, and figures or text.

    caption: the paragraph above the figures, or empty.
    """

    ident: str
    title: str
    figures: tuple[Figure, ...] = ()
    caption: str = ""
    text: str = ""

    def halve(self) -> Section:
        """Return the section with half of its figures, at least one, and a note about it."""
        figures_kept = self.figures[: -(-len(self.figures) // 2)]
        if figures_kept == self.figures:
            return self
        caption_text = self.caption.removesuffix(_NO_ROOM).strip()
        return replace(self, figures=figures_kept, caption=f"{caption_text} {_NO_ROOM}".strip())

    @property
    def printed_text(self) -> str:
        """The section's text; a long text is cut to its first lines and a count of the rest."""
        if len(self.text) <= _LONGEST_TEXT:
            return self.text
        lines = self.text[:_LONGEST_TEXT].split("\n")[:-1]
        more = self.text.count("\n") + 1 - len(lines)
        return "\n".join((*lines, f"... and {more:,} more lines, which the command prints"))


@dataclass(frozen=True)
class Page:
    """A page: a title, facts (names and values), and sections.

    ruling: pass, fail, undecided, or empty. reason: a sentence that explains the ruling, or empty.
    """

    title: str
    kind: str
    facts: tuple[tuple[str, str], ...]
    sections: tuple[Section, ...]
    ruling: str = ""
    reason: str = ""
