"""Picture of the servers of each job over time, stacked, or by pool for plans with two buses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, tzinfo
from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from tailc.forms.plan.plan import Plan
from tailc.report.pictures import job_raster
from tailc.report.pictures.axis import linear
from tailc.report.pictures.figure import Figure, Numbers
from tailc.report.pictures.job_groups import Area, JobGroup
from tailc.report.pictures.job_servers import JobStack, stack_from_plan
from tailc.report.pictures.plot import Plot
from tailc.report.pictures.time_axis import Floats, Intervals

_IDENT, _TITLE = "power-jobs", "Servers of jobs over time"
_CAPTION = (
    "Servers of each job, in the order in which jobs begin. The jobs with the most server-hours "
    "have a colour, all others are grey. The dashed line is all servers."
)
_BY_POOL = (
    "Servers of each job by pool, with the brownest pool at the bottom. The jobs with the most "
    "server-hours have a colour, all others are grey. Servers above the line are on the green bus."
)
_HEIGHT = 320.0
_ROOM = 1.04


class _Layer(NamedTuple):
    """A group of jobs, and the mean of its servers by interval."""

    group: JobGroup
    servers: Floats


def jobs_figure(plan: Plan, zone: tzinfo = UTC) -> Figure:
    """Draw the servers of each job of a plan; by pool if it has two buses and the jobs fit."""
    stack = stack_from_plan(plan)
    if not (plan.has_buses and job_raster.fits(plan)):
        return stack_figure(stack, zone)
    times = Intervals(stack.start_unix_s, stack.edges_s, zone)
    entries = (*(group.entry for group in stack.groups), *job_raster.BUS_ENTRIES)
    plot = Plot(times.axis, job_raster.pools_axis(plan), entries).with_area(_HEIGHT)
    marks = job_raster.marks(plot, plan, stack.groups, times)
    numbers = _numbers(list(_layers(stack, times)), times)
    return plot.figure(_IDENT, _TITLE, _BY_POOL, (numbers,), marks)


def stack_figure(stack: JobStack, zone: tzinfo = UTC) -> Figure:
    """Draw the servers of jobs over time, stacked; those that begin first are lowest."""
    times = Intervals(stack.start_unix_s, stack.edges_s, zone)
    layers = list(_layers(stack, times))
    y = linear("servers", 0.0, stack.servers * _ROOM)
    plot = Plot(times.axis, y, tuple(group.entry for group in stack.groups)).with_area(_HEIGHT)
    marks = [*_marks(plot, layers, times.coarse)]
    marks.append(plot.level(stack.servers, f"all {stack.servers:,} servers"))
    return plot.figure(_IDENT, _TITLE, _CAPTION, (_numbers(layers, times),), marks)


def _layers(stack: JobStack, times: Intervals) -> Iterator[_Layer]:
    for group in stack.groups:
        yield _Layer(group, times.means(stack.heights(group.jobs)))


def _marks(plot: Plot, layers: Sequence[_Layer], intervals: Intervals) -> Iterator[Markup]:
    low = np.zeros(len(intervals.edges_s) - 1)
    for group, servers in layers:
        high = low + servers
        yield plot.area(intervals.steps(high), intervals.steps(low), group.tone, group.name)
        yield from group.name_in(_level_areas(intervals, low, high), plot)
        low = high


def _level_areas(intervals: Intervals, low: Floats, high: Floats) -> list[Area]:
    """Split a stacked area into rectangles, one for each time between changes of its sides."""
    moves = (np.diff(low) != 0) | (np.diff(high) != 0)
    firsts = [0, *(np.flatnonzero(moves) + 1).tolist()]
    edges_s = intervals.edges_s
    return [
        ((edges_s[first], float(low[first])), (edges_s[past], float(high[first])))
        for first, past in zip(firsts, [*firsts[1:], len(low)], strict=True)
        if high[first] > low[first]
    ]


def _numbers(layers: Sequence[_Layer], times: Intervals) -> Numbers:
    rows = [(text, *(f"{layer.servers[at]:.6g}" for layer in layers))
            for at, text in enumerate(times.coarse.texts)]  # fmt: skip
    return Numbers(_IDENT, ("begins", *(layer.group.name for layer in layers)), tuple(rows))
