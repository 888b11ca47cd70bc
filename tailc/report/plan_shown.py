"""Which jobs of a plan a picture names, and how it tells them apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tailc.units import counted

# Colours that people with any kind of colour vision tell apart (Tol 2021, "muted"), each with what
# is legible on it.
_COLOURS = (
    *(("#332288", "white"), ("#ddcc77", "black"), ("#117733", "white"), ("#cc6677", "black")),
    *(("#88ccee", "black"), ("#882255", "white"), ("#44aa99", "black"), ("#999933", "black")),
)
_HATCHES = ("", "////", "||||")
MOST_NAMED = len(_COLOURS) * len(_HATCHES)
_OTHERS = "#cccccc"


class Look(NamedTuple):
    """Colour of an area, of what is drawn on it, and its hatch."""

    color: str
    ink: str
    hatch: str


@dataclass(frozen=True)
class Shown:
    """The jobs with a name and a look of their own, in order of their beginning, and the others."""

    named: tuple[int, ...]
    others: tuple[int, ...]

    def look(self, place: int) -> Look:
        """Of the named job at that place; no two have the same."""
        color, ink = _COLOURS[place % len(_COLOURS)]
        return Look(color, ink, _HATCHES[place // len(_COLOURS)])

    @property
    def others_look(self) -> Look:
        """What all others have."""
        return Look(_OTHERS, "black", "")

    @property
    def others_text(self) -> str:
        """Such as `651 other jobs`."""
        return counted(len(self.others), "other job")


def shown_of(slots: Sequence[int], begins: Sequence[int]) -> Shown:
    """The largest jobs are named, of equal ones the first.

    slots, begins: of each job its server-epochs, and when it begins.
    """
    by_size = sorted(range(len(slots)), key=lambda job: (-slots[job], job))
    named = sorted(by_size[:MOST_NAMED], key=lambda job: (begins[job], job))
    return Shown(tuple(named), tuple(sorted(by_size[MOST_NAMED:])))
