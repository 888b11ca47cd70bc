"""Jobs in a picture: the largest have a colour and a name, all others are grey together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from markupsafe import Markup

from tailc.report.pictures.plot import CHARACTER, LINE, LegendEntry, Plot, Point
from tailc.report.pictures.svg import element
from tailc.report.pictures.tones import AREAS, area_tone, ink_tone
from tailc.units import plural, shorten

_LONGEST_NAME = 22
_MARGIN = 4.0

# Two opposite corners: seconds since the start and servers of each.
Area = tuple[Point, Point]


class JobGroup(NamedTuple):
    """A named job, or all jobs without a name, as a group with its own colour in a picture.

    tone, ink: CSS classes of its areas and of text on them. jobs: numbers of its jobs.
    """

    name: str
    tone: str
    ink: str
    jobs: tuple[int, ...]

    @property
    def entry(self) -> LegendEntry:
        """Entry of the group in the picture's legend."""
        return LegendEntry(self.name, self.tone, "area")

    def name_in(self, areas: Sequence[Area], plot: Plot) -> Iterator[Markup]:
        """Yield the name of a group of jobs in a picture, at the left of its largest area.

        The area must have room for the name; otherwise nothing.
        """
        boxes = [(*plot.to_canvas(*low), *plot.to_canvas(*high)) for low, high in areas]
        wide = CHARACTER * len(self.name) + 2 * _MARGIN
        fitting = [box for box in boxes if box[2] - box[0] >= wide and box[1] - box[3] >= LINE]
        if fitting and self.ink:
            left, bottom, _, top = max(fitting, key=lambda x: (x[2] - x[0]) * (x[1] - x[3]))
            middle = (top + bottom) / 2 + _MARGIN
            yield element("text", self.name, class_=self.ink, x=left + _MARGIN, y=middle)


def job_groups(names: Sequence[str], slots: Sequence[int], begins: Sequence[int]) -> list[JobGroup]:
    """Group jobs for a picture: a group for each of the largest, by start; then all others.

    Of equal jobs the first are named. slots, begins: server-epochs and first epoch of each job.
    """
    by_size = sorted(range(len(slots)), key=lambda job: (-slots[job], job))
    named = sorted(by_size[:AREAS], key=lambda job: (begins[job], job))
    groups = [
        JobGroup(shorten(names[job], _LONGEST_NAME), area_tone(place), ink_tone(place), (job,))
        for place, job in enumerate(named)
    ]
    others = tuple(sorted(by_size[AREAS:]))
    all_others = JobGroup(plural(len(others), "other job"), "solid others", "", others)
    return [*groups, all_others] if others else groups
