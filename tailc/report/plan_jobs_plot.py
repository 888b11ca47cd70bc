"""Picture of the servers of each job over time: stacked, or by pool for plans with two buses."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, tzinfo
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tailc.forms.plan.plan import Plan
from tailc.report.drawing import PictureFormat, render_picture
from tailc.report.plan_bands import job_bands
from tailc.report.plan_labels import (
    Area,
    ArtistLabel,
    add_legend,
    name_pools,
    name_text,
    write_name,
)
from tailc.report.plan_shown import JobStyle, NamedJobs, name_largest_jobs
from tailc.report.plan_stack import JobStack, Whole, stack_from_plan
from tailc.report.time_axis import set_time_axis

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SIZE_IN = (9.0, 5.4)
_ON_GREEN, _BOUNDARY, _ALL = "#dff2e9", "#00604a", "0.35"
# Lines between bands, thinner where bands are thin.
_WIDEST_LINE_PT, _LINE_OF_A_BAND, _HEIGHT_PT = 0.5, 0.1, 310.0


class _Group(NamedTuple):
    """Jobs that are drawn alike and share one legend entry."""

    look: JobStyle
    name: str
    jobs: tuple[int, ...]

    @property
    def filled(self) -> Any:
        """Arguments that fill an area: a hatch in the edge colour, without an edge."""
        look = self.look
        return {"facecolor": look.color, "edgecolor": look.ink, "hatch": look.hatch, "linewidth": 0}


def picture(plan: Plan, kind: PictureFormat, zone: tzinfo = UTC) -> bytes:
    """Render the picture of a plan; the same plan gives the same bytes."""
    return render_picture(lambda figure: draw(figure, plan, zone), _SIZE_IN, kind)


def stack_picture(stack: JobStack, kind: PictureFormat, zone: tzinfo = UTC) -> bytes:
    """Render the picture of jobs that run on one bus, such as those of a replay."""
    return render_picture(lambda figure: draw_stack(figure, stack, zone), _SIZE_IN, kind)


def draw(figure: Figure, plan: Plan, zone: tzinfo = UTC) -> None:
    """Draw one area per pool for plans with two buses, else a stack of the jobs."""
    if plan.has_buses:
        draw_raster(figure, plan, zone)
    else:
        draw_stack(figure, stack_from_plan(plan), zone)


def draw_stack(figure: Figure, stack: JobStack, zone: tzinfo = UTC) -> None:
    """Draw the jobs stacked in order of their start, jobs without a name on top."""
    axes, named_jobs = figure.subplots(), stack.named_jobs
    line = axes.axhline(stack.servers, color=_ALL, linestyle="--", linewidth=1.0)
    entries = [ArtistLabel(line, f"all {stack.servers:,} servers")]
    low = np.zeros(len(stack.edges_s) - 1, np.int64)
    names = [name for name, _ in stack.jobs]
    for group in _groups(named_jobs, names):
        high = low + stack.heights(group.jobs)
        area = axes.stairs(high, stack.edges_s, baseline=low, fill=True, **group.filled)
        entries.insert(1, ArtistLabel(area, group.name))
        parts = _level_areas(stack.edges_s, low, high)
        write_name(group.name, group.look, parts, axes, stack.edges_s[-1], stack.servers)
        low = high
    axes.set_ylim(0, stack.servers * 1.03)
    axes.set_ylabel("servers")
    add_legend(axes, entries)
    set_time_axis(axes, stack.start_unix_s, stack.edges_s[-1], zone)


def draw_raster(figure: Figure, plan: Plan, zone: tzinfo = UTC) -> None:
    """Draw the pools above each other, brownest lowest, with the bands of their jobs."""
    axes, areas = figure.subplots(), _areas_of(plan)
    begins = [job.spans[0].first_epoch for job in plan.jobs]
    named_jobs = name_largest_jobs([job.slots for job in plan.jobs], begins)
    length_s = len(plan.epochs) * plan.epoch_s
    entries = []
    for group in _groups(named_jobs, [job.name for job in plan.jobs]):
        parts = [area for job in group.jobs for area in areas[job]]
        entries.append(ArtistLabel(_draw_areas(axes, parts, **group.filled), group.name))
        if group.jobs != named_jobs.others:
            write_name(group.name, group.look, parts, axes, length_s, plan.servers)
    _draw_lines_between(axes, [area for parts in areas for area in parts], plan.servers)
    entries += _draw_buses(axes, plan)
    name_pools(axes, plan)
    axes.set_ylim(0, plan.servers)
    axes.set_ylabel(f"{plan.servers:,} servers by pool, the brownest lowest")
    add_legend(axes, entries)
    set_time_axis(axes, plan.start_unix_s, length_s, zone)


def _groups(named_jobs: NamedJobs, names: Sequence[str]) -> list[_Group]:
    """Group the jobs: one group per named job, and one for all others."""
    groups = [
        _Group(named_jobs.look(place), name_text(names[job]), (job,))
        for place, job in enumerate(named_jobs.named)
    ]
    others = _Group(named_jobs.others_look, named_jobs.others_text, named_jobs.others)
    return [*groups, others] if named_jobs.others else groups


def _level_areas(edges_s: Sequence[int], low: Whole, high: Whole) -> list[Area]:
    """Split a stacked area into rectangles, one for each time between changes of its sides."""
    moves = (np.diff(low) != 0) | (np.diff(high) != 0)
    firsts = [0, *(np.flatnonzero(moves) + 1).tolist()]
    return [
        Area(edges_s[first], edges_s[past], int(low[first]), int(high[first]))
        for first, past in zip(firsts, [*firsts[1:], len(low)], strict=True)
        if high[first] > low[first]
    ]


def _areas_of(plan: Plan) -> list[list[Area]]:
    """Rectangles of each job in all pools."""
    areas: list[list[Area]] = [[] for _ in plan.jobs]
    for floor, bands in zip(_floors(plan)[:-1], job_bands(plan), strict=True):
        for band in bands:
            first_s, past_s = band.first_epoch * plan.epoch_s, band.past_epoch * plan.epoch_s
            areas[band.job].append(Area(first_s, past_s, floor + band.low, floor + band.high))
    return areas


def _floors(plan: Plan) -> list[int]:
    """Lowest server of each pool and the end of the last, counted from the lowest server."""
    return [0, *accumulate(pool.servers for pool in plan.pools)]


def _draw_areas(axes: Axes, areas: Sequence[Area], **how: Any) -> Artist:
    from matplotlib.collections import PolyCollection

    corners = [
        [(a.first_s, a.low), (a.past_s, a.low), (a.past_s, a.high), (a.first_s, a.high)]
        for a in areas
    ]
    return axes.add_collection(PolyCollection(corners, zorder=2, **how), autolim=False)


def _draw_lines_between(axes: Axes, areas: Sequence[Area], servers: int) -> None:
    if areas:
        high_pt = float(np.median([a.high - a.low for a in areas])) / servers * _HEIGHT_PT
        width_pt = min(_WIDEST_LINE_PT, _LINE_OF_A_BAND * high_pt)
        _draw_areas(axes, areas, facecolor="none", edgecolor="white", linewidth=width_pt)


def _draw_buses(axes: Axes, plan: Plan) -> list[ArtistLabel]:
    """Draw the line below the servers on the green bus, and return its legend entries."""
    floors = _floors(plan)
    firsts = [epoch.first_green_pool for epoch in plan.epochs]
    lowest = [floors[first] for first in firsts if first is not None]
    edges_s = [epoch * plan.epoch_s for epoch in range(len(plan.epochs) + 1)]
    top = [plan.servers] * len(plan.epochs)
    free = axes.stairs(
        top, edges_s, baseline=lowest, fill=True, color=_ON_GREEN, linewidth=0, zorder=0
    )
    line: Any = {"baseline": None, "clip_on": False}
    axes.stairs(lowest, edges_s, color="white", linewidth=3.0, zorder=3, **line)
    boundary = axes.stairs(lowest, edges_s, color=_BOUNDARY, linewidth=1.4, zorder=3.1, **line)
    return [ArtistLabel(free, "free, on the green bus"), ArtistLabel(boundary, "green bus above")]
