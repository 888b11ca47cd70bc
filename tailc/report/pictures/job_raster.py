"""Draw a plan's jobs by pool and server, and the line between green and brown power."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from statistics import median

from markupsafe import Markup

from tailc.forms.plan.plan import Plan
from tailc.report.pictures.axis import Axis
from tailc.report.pictures.job_bands import job_bands
from tailc.report.pictures.job_groups import Area, JobGroup
from tailc.report.pictures.plot import LINE, LegendEntry, Plot
from tailc.report.pictures.time_axis import Intervals
from tailc.units import shorten

BUS_ENTRIES = (
    LegendEntry("free, on the green bus", "on-green", "area"),
    LegendEntry("green bus above", "boundary"),
)
_LONGEST_NAME = 22
_LEAST_HEIGHT = 300.0
# More bands make a page too large to send, and lines between more pools would hide the rest.
_MOST_BANDS, _MOST_RULES = 10_000, 100
# Lower bands have no line around them.
_THIN = 3.0


def fits(plan: Plan) -> bool:
    """Whether a plan has so few bands (job, pool and run of epochs) that they can be drawn."""
    return sum(len(job.spans) for job in plan.jobs) <= _MOST_BANDS


def pools_axis(plan: Plan) -> Axis:
    """Axis of all servers with the name of each pool at its middle; names do not overlap."""
    least = LINE / _LEAST_HEIGHT * plan.servers
    ticks: list[tuple[float, str]] = []
    for pool, floor in zip(plan.pools, _floors(plan), strict=False):
        middle = floor + pool.servers / 2
        if not ticks or middle - ticks[-1][0] >= least:
            ticks.append((middle, shorten(pool.name, _LONGEST_NAME)))
    title = f"{plan.servers:,} servers by pool, the brownest lowest"
    return Axis(title, 0.0, float(plan.servers), tuple(ticks), has_grid=False)


def marks(plot: Plot, plan: Plan, groups: Sequence[JobGroup], times: Intervals) -> Iterator[Markup]:
    """Yield the marks of a picture of a plan: servers on green power, their boundary, and jobs.

    times: the intervals of the time axis.
    """
    floors = _floors(plan)
    firsts = [epoch.first_green_pool for epoch in plan.epochs]
    lowest = times.steps(plan.servers if first is None else floors[first] for first in firsts)
    highest = times.steps([plan.servers] * len(firsts))
    yield plot.area(highest, lowest, "on-green thin", "on the green bus")
    if len(plan.pools) <= _MOST_RULES:
        yield from map(plot.rule, floors[1:-1])
    yield from _job_marks(plot, plan, groups)
    yield plot.line(lowest, "halo")
    yield plot.line(lowest, "boundary")


def _job_marks(plot: Plot, plan: Plan, groups: Sequence[JobGroup]) -> Iterator[Markup]:
    areas = _areas_of(plan)
    heights = [high - low for of in areas for (_, low), (_, high) in of]
    scale = (plot.bottom - plot.top) / plan.servers
    thin = " thin" if heights and median(heights) * scale < _THIN else ""
    for group in groups:
        of_group = [area for job in group.jobs for area in areas[job]]
        yield plot.rectangles(of_group, group.tone + thin, group.name)
        yield from group.name_in(of_group, plot)


def _areas_of(plan: Plan) -> list[list[Area]]:
    """Rectangles of each job in all pools."""
    areas: list[list[Area]] = [[] for _ in plan.jobs]
    for floor, bands in zip(_floors(plan)[:-1], job_bands(plan), strict=True):
        for band in bands:
            first_s, past_s = band.first_epoch * plan.epoch_s, band.past_epoch * plan.epoch_s
            areas[band.job].append(((first_s, floor + band.low), (past_s, floor + band.high)))
    return areas


def _floors(plan: Plan) -> list[int]:
    """Lowest server of each pool and the end of the last, counted from the lowest server."""
    return [0, *accumulate(pool.servers for pool in plan.pools)]
