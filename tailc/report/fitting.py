"""Text of several lists in a given number of lines: the longest list is cut first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Section:
    """Lines of text of which those of `body` may be left out, from the end, down to one."""

    head: tuple[str, ...] = ()
    body: tuple[str, ...] = ()
    foot: tuple[str, ...] = ()
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


# A list shorter than this is never cut.
_SHORTEST = 4


def fitted(sections: Sequence[Section], most_lines: int) -> tuple[Section, ...]:
    """The sections, an empty line between two, cut to `most_lines` where that is possible."""
    kept = [section for section in sections if section.lines]
    excess = sum(len(section.lines) + 1 for section in kept) - 1 - most_lines
    while excess > 0:
        longest = max(range(len(kept)), key=lambda place: len(kept[place].body))
        if len(kept[longest].body) < _SHORTEST:
            break
        kept[longest] = kept[longest].shorter()
        excess -= 1
    return tuple(kept)
