"""A search as it went: the bound, the best that was found and the gap, over effort."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tailc.forms.course import Milestone
from tailc.forms.plan.cluster_problem import ClusterSolution
from tailc.pipeline.compile import Compiled
from tailc.report.page.axis import linear
from tailc.report.page.figure import Figure, Numbers
from tailc.report.page.plot import Entry, Plot, Point

_IDENT, _TITLE = "course", "Search over effort"
_FOUND, _BOUND = "t0", "t1"
_MILLION = 1_000_000
_ROOM = 0.05


class Scale(NamedTuple):
    """What effort and values are called, and by what they are divided to be told."""

    effort: str
    per_effort: int
    value: str
    per_value: int


_ON_REPLAY = Scale("simulated requests [millions]", _MILLION, "value, the formula's is 1", 1)


def compiled_course(compiled: Compiled) -> Figure | None:
    """None where the search has no course, or met its end at once."""
    if compiled.queue is not None:
        return course_figure(compiled.queue.course, _ON_REPLAY)
    solution = compiled.sweep.chosen.solution
    if isinstance(solution, ClusterSolution):
        scale = Scale("linear programs", 1, compiled.policy.evidence.objective, _MILLION)
        return course_figure(solution.course, scale)
    return None


def course_figure(course: Sequence[Milestone], scale: Scale) -> Figure | None:
    """None of a course of one milestone."""
    if len(course) < 2:
        return None
    end = course[-1].effort / scale.per_effort * (1 + _ROOM) or 1.0
    bounds = _steps([(one.effort, one.bound) for one in course], scale, end)
    found = _steps([(one.effort, one.incumbent) for one in course], scale, end)
    values = [y for _, y in (*bounds, *found)]
    low, high = min(values), max(values)
    room = _ROOM * (high - low or abs(high) or 1.0)
    lines = [("best found", _FOUND, found), ("proved bound", _BOUND, bounds)]
    told = [(name, tone, points) for name, tone, points in lines if points]
    plot = Plot(
        linear(scale.effort, 0.0, end),
        linear(scale.value, low - room, high + room),
        tuple(Entry(name, tone) for name, tone, _ in told),
    )
    says = _says(course[-1])
    svg = plot.drawn(_IDENT, _TITLE, says, [plot.line(points, tone) for _, tone, points in told])
    return Figure(_IDENT, _TITLE, says, (_numbers(course, scale),), svg)


def _says(last: Milestone) -> str:
    says = "The best that was found, after so much effort"
    if last.bound is None:
        return f"{says}; no bound is known, and each stage of the search has requests of its own."
    says += ", and the bound below which nothing can be; between them is the gap"
    if not last.incumbent:
        return f"{says}."
    return f"{says}, in the end {(last.incumbent - last.bound) / last.incumbent:.2%}."


def _steps(course: Sequence[tuple[int, float | None]], scale: Scale, end: float) -> list[Point]:
    """A value holds until the next one, and the last one to the end."""
    points: list[Point] = []
    for effort, value in course:
        if value is not None:
            at = effort / scale.per_effort
            points += [(at, points[-1][1])] if points else []
            points.append((at, value / scale.per_value))
    return points and [*points, (end, points[-1][1])]


def _numbers(course: Sequence[Milestone], scale: Scale) -> Numbers:
    rows = []
    for one in course:
        values = ("" if value is None else f"{value / scale.per_value:.9g}"
                  for value in (one.incumbent, one.bound, one.gap))  # fmt: skip
        rows.append((f"{one.effort / scale.per_effort:g}", *values))
    return Numbers(
        _IDENT, (scale.effort, f"best found: {scale.value}", "bound", "gap"), tuple(rows)
    )
