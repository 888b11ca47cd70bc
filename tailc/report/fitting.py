"""Fit several lists of text lines into a limited number of lines.

The longest list is cut first. If cuts are not enough, whole lists that may be omitted are replaced
by one line that counts them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class TextSection:
    """A block of lines that a report may shorten by omitting lines of `body` from its end.

    head, foot: lines before and after. least: number of body lines that stay while another section
    can be cut. may_fold: whether the whole section may be omitted if cuts are not enough. left_out,
    what: number and name of the omitted lines.
    """

    head: tuple[str, ...] = ()
    body: tuple[str, ...] = ()
    foot: tuple[str, ...] = ()
    least: int = 3
    may_fold: bool = False
    left_out: int = 0
    what: str = ""

    @property
    def lines(self) -> tuple[str, ...]:
        """Lines to print, including one that counts the omitted lines."""
        more = (f"  ... and {self.left_out:,} more{self.what}",) if self.left_out else ()
        return (*self.head, *self.body, *more, *self.foot)

    def shorter(self) -> TextSection:
        """Return the section with one line less.

        The first cut removes two body lines, because it adds the line that counts them.
        """
        cut = 1 if self.left_out else 2
        return replace(self, body=self.body[:-cut], left_out=self.left_out + cut)


def fit_sections(sections: Sequence[TextSection], most_lines: int) -> tuple[TextSection, ...]:
    """Cut the sections of a report to `most_lines` lines together, if possible.

    Blank lines between sections count. If cuts are not enough, whole sections are omitted, the last
    first; one line counts them.
    """
    printed = [section for section in sections if section.lines]
    shortened, folded = _cut_longest(printed, most_lines), 0
    while _lines(shortened) > most_lines and folded < sum(section.may_fold for section in printed):
        folded += 1
        shortened = _cut_longest(_fold_last(printed, folded), most_lines)
    return tuple(shortened)


def _lines(sections: Sequence[TextSection]) -> int:
    return sum(len(section.lines) + 1 for section in sections) - 1


def _fold_last(sections: Sequence[TextSection], count: int) -> list[TextSection]:
    """Replace the last `count` foldable sections by one line that counts them."""
    places = [place for place, section in enumerate(sections) if section.may_fold][-count:]
    shortened = [section for place, section in enumerate(sections) if place not in places]
    shortened.insert(places[0], TextSection(left_out=count, what=" lists of differences"))
    return shortened


def _cut_longest(sections: list[TextSection], most_lines: int) -> list[TextSection]:
    """Cut the longest section line by line until all fit or none can be cut."""
    shortened = list(sections)
    while _lines(shortened) > most_lines:
        place = _longest(shortened)
        if place is None:
            break
        shortened[place] = shortened[place].shorter()
    return shortened


def _longest(sections: Sequence[TextSection]) -> int | None:
    """Index of the section to cut next; None if no section can be cut."""
    for least in ([section.least for section in sections], [1] * len(sections)):
        # The first cut removes two lines and adds one.
        room = [
            len(section.body) - stay - (not section.left_out)
            for section, stay in zip(sections, least, strict=True)
        ]
        if max(room, default=0) > 0:
            return room.index(max(room))
    return None
