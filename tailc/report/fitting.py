"""Text of several lists in a given number of lines: the longest list is cut first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Section:
    """Lines of text of which those of `body` may be left out, from the end.

    least: how many of them stay while another section can be cut.
    """

    head: tuple[str, ...] = ()
    body: tuple[str, ...] = ()
    foot: tuple[str, ...] = ()
    least: int = 3
    left_out: int = 0

    @property
    def lines(self) -> tuple[str, ...]:
        """What is printed, and how much is not."""
        more = (f"  ... and {self.left_out:,} more",) if self.left_out else ()
        return (*self.head, *self.body, *more, *self.foot)

    def shorter(self) -> Section:
        """One line less; the first cut takes two, for it adds the line that tells of it."""
        cut = 1 if self.left_out else 2
        return replace(self, body=self.body[:-cut], left_out=self.left_out + cut)


def fitted(sections: Sequence[Section], most_lines: int) -> tuple[Section, ...]:
    """The sections, an empty line between two, cut to `most_lines` where that is possible."""
    kept = [section for section in sections if section.lines]
    while sum(len(section.lines) + 1 for section in kept) - 1 > most_lines:
        place = _longest(kept)
        if place is None:
            break
        kept[place] = kept[place].shorter()
    return tuple(kept)


def _longest(sections: Sequence[Section]) -> int | None:
    """The place of the section to cut next; None where nothing is left to cut."""
    for least in ([section.least for section in sections], [1] * len(sections)):
        # The first cut takes two lines, and what tells of it takes one.
        room = [
            len(section.body) - stay - (not section.left_out)
            for section, stay in zip(sections, least, strict=True)
        ]
        if max(room, default=0) > 0:
            return room.index(max(room))
    return None
