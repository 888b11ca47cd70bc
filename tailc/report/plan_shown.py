"""The named jobs of a picture of a plan, and their colours and hatches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tailc.units import plural

# Colours that people with any kind of colour vision can distinguish (Tol 2021, "muted"), each with
# a legible text colour.
_COLOURS = (
    *(("#332288", "white"), ("#ddcc77", "black"), ("#117733", "white"), ("#cc6677", "black")),
    *(("#88ccee", "black"), ("#882255", "white"), ("#44aa99", "black"), ("#999933", "black")),
)
_HATCHES = ("", "////", "||||")
MOST_NAMED = len(_COLOURS) * len(_HATCHES)
_OTHERS = "#cccccc"


class JobStyle(NamedTuple):
    """Fill colour of a job's area, colour of text on it, and hatch."""

    color: str
    ink: str
    hatch: str


@dataclass(frozen=True)
class NamedJobs:
    """Jobs with a name and a style of their own, in order of their start, and all other jobs."""

    named: tuple[int, ...]
    others: tuple[int, ...]

    def look(self, place: int) -> JobStyle:
        """Style of the named job at index `place`; all styles differ."""
        color, ink = _COLOURS[place % len(_COLOURS)]
        return JobStyle(color, ink, _HATCHES[place // len(_COLOURS)])

    @property
    def others_look(self) -> JobStyle:
        """Style of all other jobs."""
        return JobStyle(_OTHERS, "black", "")

    @property
    def others_text(self) -> str:
        """Legend text of all other jobs, such as `651 other jobs`."""
        return plural(len(self.others), "other job")


def name_largest_jobs(slots: Sequence[int], begins: Sequence[int]) -> NamedJobs:
    """Choose the largest jobs to be named; of equal jobs the first.

    slots, begins: server-epochs and first epoch of each job.
    """
    by_size = sorted(range(len(slots)), key=lambda job: (-slots[job], job))
    named = sorted(by_size[:MOST_NAMED], key=lambda job: (begins[job], job))
    return NamedJobs(tuple(named), tuple(sorted(by_size[MOST_NAMED:])))
