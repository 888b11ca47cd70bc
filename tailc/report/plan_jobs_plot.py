"""Which servers each job has over time: stacked on one bus, by pool where racks are on two."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, tzinfo
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tailc.forms.plan.plan import Plan
from tailc.report.drawing import PictureFormat, drawn
from tailc.report.plan_bands import bands_of
from tailc.report.plan_labels import Area, Entry, add_legend, name_pools, name_text, write_name
from tailc.report.plan_shown import Look, Shown, shown_of
from tailc.report.plan_stack import Stack, Whole, stack_of
from tailc.report.time_axis import set_time_axis

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SIZE_IN = (9.0, 5.4)
_ON_GREEN, _BOUNDARY, _ALL = "#dff2e9", "#00604a", "0.35"
# Lines between bands are thin, and thinner where bands are.
_WIDEST_LINE_PT, _LINE_OF_A_BAND, _HEIGHT_PT = 0.5, 0.1, 310.0


class _Group(NamedTuple):
    """Jobs that are drawn alike, and told as one."""

    look: Look
    name: str
    jobs: tuple[int, ...]

    @property
    def filled(self) -> Any:
        """A hatch has the colour of the edge, which itself is not drawn."""
        look = self.look
        return {"facecolor": look.color, "edgecolor": look.ink, "hatch": look.hatch, "linewidth": 0}


def picture(plan: Plan, kind: PictureFormat, zone: tzinfo = UTC) -> bytes:
    """The file of the picture; the same bytes for the same plan."""
    return drawn(lambda figure: draw(figure, plan, zone), _SIZE_IN, kind)


def stack_picture(stack: Stack, kind: PictureFormat, zone: tzinfo = UTC) -> bytes:
    """The same of jobs on one bus, such as those of a replay."""
    return drawn(lambda figure: draw_stack(figure, stack, zone), _SIZE_IN, kind)


def draw(figure: Figure, plan: Plan, zone: tzinfo = UTC) -> None:
    """A raster of the pools where they are on two buses, else a stack of the jobs."""
    if plan.has_buses:
        draw_raster(figure, plan, zone)
    else:
        draw_stack(figure, stack_of(plan), zone)


def draw_stack(figure: Figure, stack: Stack, zone: tzinfo = UTC) -> None:
    """Jobs on one another in order of their beginning, the others on top of them."""
    axes, shown = figure.subplots(), stack.shown
    line = axes.axhline(stack.servers, color=_ALL, linestyle="--", linewidth=1.0)
    entries = [Entry(line, f"all {stack.servers:,} servers")]
    low = np.zeros(len(stack.edges_s) - 1, np.int64)
    names = [name for name, _ in stack.jobs]
    for group in _groups(shown, names):
        high = low + stack.heights(group.jobs)
        area = axes.stairs(high, stack.edges_s, baseline=low, fill=True, **group.filled)
        entries.insert(1, Entry(area, group.name))
        parts = _level_areas(stack.edges_s, low, high)
        write_name(group.name, group.look, parts, axes, stack.edges_s[-1], stack.servers)
        low = high
    axes.set_ylim(0, stack.servers * 1.03)
    axes.set_ylabel("servers")
    add_legend(axes, entries)
    set_time_axis(axes, stack.start_unix_s, stack.edges_s[-1], zone)


def draw_raster(figure: Figure, plan: Plan, zone: tzinfo = UTC) -> None:
    """Pools on one another, the brownest lowest; in each the bands of its jobs."""
    axes, areas = figure.subplots(), _areas_of(plan)
    begins = [job.spans[0].first_epoch for job in plan.jobs]
    shown = shown_of([job.slots for job in plan.jobs], begins)
    length_s = len(plan.epochs) * plan.epoch_s
    entries = []
    for group in _groups(shown, [job.name for job in plan.jobs]):
        parts = [area for job in group.jobs for area in areas[job]]
        entries.append(Entry(_draw_areas(axes, parts, **group.filled), group.name))
        if group.jobs != shown.others:
            write_name(group.name, group.look, parts, axes, length_s, plan.servers)
    _draw_lines_between(axes, [area for parts in areas for area in parts], plan.servers)
    entries += _draw_buses(axes, plan)
    name_pools(axes, plan)
    axes.set_ylim(0, plan.servers)
    axes.set_ylabel(f"{plan.servers:,} servers by pool, the brownest lowest")
    add_legend(axes, entries)
    set_time_axis(axes, plan.start_unix_s, length_s, zone)


def _groups(shown: Shown, names: Sequence[str]) -> list[_Group]:
    """Each named job, and all others."""
    groups = [
        _Group(shown.look(place), name_text(names[job]), (job,))
        for place, job in enumerate(shown.named)
    ]
    others = _Group(shown.others_look, shown.others_text, shown.others)
    return [*groups, others] if shown.others else groups


def _level_areas(edges_s: Sequence[int], low: Whole, high: Whole) -> list[Area]:
    """The parts of a stacked area between two times at which its lower or upper side moves."""
    moves = (np.diff(low) != 0) | (np.diff(high) != 0)
    firsts = [0, *(np.flatnonzero(moves) + 1).tolist()]
    return [
        Area(edges_s[first], edges_s[past], int(low[first]), int(high[first]))
        for first, past in zip(firsts, [*firsts[1:], len(low)], strict=True)
        if high[first] > low[first]
    ]


def _areas_of(plan: Plan) -> list[list[Area]]:
    """Of each job, its bands in all pools."""
    areas: list[list[Area]] = [[] for _ in plan.jobs]
    for floor, bands in zip(_floors(plan)[:-1], bands_of(plan), strict=True):
        for band in bands:
            first_s, past_s = band.first_epoch * plan.epoch_s, band.past_epoch * plan.epoch_s
            areas[band.job].append(Area(first_s, past_s, floor + band.low, floor + band.high))
    return areas


def _floors(plan: Plan) -> list[int]:
    """Where each pool begins, and where the last ends [servers from the lowest one on]."""
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


def _draw_buses(axes: Axes, plan: Plan) -> list[Entry]:
    """Servers on the green bus, and the line below them."""
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
    return [Entry(free, "free, on the green bus"), Entry(boundary, "green bus above")]
