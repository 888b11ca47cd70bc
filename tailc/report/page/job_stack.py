"""Picture of the servers of each job of a plan over time, stacked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from tailc.forms.plan.plan import Plan
from tailc.report.page.axis import linear
from tailc.report.page.figure import Figure, Numbers
from tailc.report.page.plot import LegendEntry, Plot
from tailc.report.page.time_axis import Floats, Intervals
from tailc.report.page.tones import LINES, line_tone
from tailc.report.plan_stack import JobStack, stack_from_plan
from tailc.units import printable, shorten

_IDENT, _TITLE = "power-jobs", "Servers of jobs over time"
_CAPTION = (
    "Servers that each job has, in order of their beginning; the jobs with most servers times "
    "hours have a colour, all others are grey. The dashed line is all servers."
)
_ROOM = 1.04


class _Layer(NamedTuple):
    """A job, or all small jobs together: name, CSS class, and mean servers by interval."""

    name: str
    tone: str
    servers: Floats


def jobs_figure(plan: Plan) -> Figure | None:
    """Draw the servers of each job; None if the plan has no jobs."""
    if not plan.jobs:
        return None
    stack = stack_from_plan(plan)
    times = Intervals(stack.start_unix_s, stack.edges_s)
    layers = list(_layers(stack, times))
    entries = tuple(LegendEntry(layer.name, layer.tone, "area") for layer in layers)
    y = linear("servers", 0.0, stack.servers * _ROOM)
    plot = Plot(times.axis, y, entries, 420.0)
    marks, low = [], np.zeros(len(times.coarse.edges_s) - 1)
    for layer in layers:
        high = low + layer.servers
        outline = times.coarse.steps(high), times.coarse.steps(low)
        marks.append(plot.area(*outline, layer.tone, layer.name))
        low = high
    marks.append(plot.level(stack.servers, f"all {stack.servers:,} servers"))
    svg = plot.render(_IDENT, _TITLE, _CAPTION, marks)
    return Figure(_IDENT, _TITLE, _CAPTION, (_numbers(layers, times),), svg)


def _layers(stack: JobStack, times: Intervals) -> Iterator[_Layer]:
    """Yield a layer for each of the largest jobs, one per colour, and one for all others."""
    slots = [int(stack.heights([job]).sum()) for job in range(len(stack.jobs))]
    largest = sorted(range(len(slots)), key=lambda job: (-slots[job], job))[:LINES]
    begins = [min(run.first for run in runs) for _, runs in stack.jobs]
    for place, job in enumerate(sorted(largest, key=lambda job: (begins[job], job))):
        name = shorten(printable(stack.jobs[job][0]))
        yield _Layer(name, f"job {line_tone(place)}", times.means(stack.heights([job])))
    others = [job for job in range(len(slots)) if job not in set(largest)]
    if others:
        name = f"{len(others):,} other jobs"
        yield _Layer(name, "job others", times.means(stack.heights(others)))


def _numbers(layers: Sequence[_Layer], times: Intervals) -> Numbers:
    heads = ("begins", *(layer.name for layer in layers))
    values = zip(*(layer.servers for layer in layers), strict=True)
    rows = [(text, *(f"{servers:.6g}" for servers in row))
            for text, row in zip(times.coarse.texts, values, strict=True)]  # fmt: skip
    return Numbers(_IDENT, heads, tuple(rows))
