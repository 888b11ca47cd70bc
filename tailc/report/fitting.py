"""Text of several lists in a given number of lines: the longest list is cut first.

Where no cut is enough, whole lists of those that may be left out are folded into one line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Section:
    """Lines of text of which those of `body` may be left out, from the end.

    least: how many of them stay while another section can be cut.
    may_fold: whether all of it may be left out where cuts are not enough.
    left_out: so many `what` are not printed.
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
        """What is printed, and how much is not."""
        more = (f"  ... and {self.left_out:,} more{self.what}",) if self.left_out else ()
        return (*self.head, *self.body, *more, *self.foot)

    def shorter(self) -> Section:
        """One line less; the first cut takes two, for it adds the line that tells of it."""
        cut = 1 if self.left_out else 2
        return replace(self, body=self.body[:-cut], left_out=self.left_out + cut)


def fitted(sections: Sequence[Section], most_lines: int) -> tuple[Section, ...]:
    """The sections, an empty line between two, cut to `most_lines` where that is possible.

    As many as need be are folded, the last first; a line where they were tells how many.
    """
    told = [section for section in sections if section.lines]
    kept, folded = _cut(told, most_lines), 0
    while _lines(kept) > most_lines and folded < sum(section.may_fold for section in told):
        folded += 1
        kept = _cut(_folded(told, folded), most_lines)
    return tuple(kept)


def _lines(sections: Sequence[Section]) -> int:
    return sum(len(section.lines) + 1 for section in sections) - 1


def _folded(sections: Sequence[Section], count: int) -> list[Section]:
    """The sections with a line in place of the last `count` of those that may be folded."""
    places = [place for place, section in enumerate(sections) if section.may_fold][-count:]
    kept = [section for place, section in enumerate(sections) if place not in places]
    kept.insert(places[0], Section(left_out=count, what=" lists of differences"))
    return kept


def _cut(sections: list[Section], most_lines: int) -> list[Section]:
    """The sections, the longest cut line by line until all fit or none can be cut."""
    kept = list(sections)
    while _lines(kept) > most_lines:
        place = _longest(kept)
        if place is None:
            break
        kept[place] = kept[place].shorter()
    return kept


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
