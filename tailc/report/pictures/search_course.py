"""Picture of a search's progress: best value, bound and gap over effort."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from tailc.pipeline.compile import AnyCompiled
from tailc.problems.convergence import ConvergencePoint
from tailc.problems.ladder import LadderProblem
from tailc.problems.malleable_jobs import ClusterProblem
from tailc.problems.plan import PlanMethod
from tailc.problems.problem import Problem
from tailc.problems.rigid_jobs import RacksProblem
from tailc.report.pictures.axis import linear
from tailc.report.pictures.figure import Figure, Numbers
from tailc.report.pictures.plot import LegendEntry, Plot, Point
from tailc.tuning.tuned_table import TunedTable

_IDENT, _TITLE = "course", "Search over effort"
_FOUND, _BOUND = "t0", "t1"
_LADDER = "schedules looked at"
_MILLION, _US_PER_MS = 1_000_000, 1_000
_ROOM = 0.05


class ProgressUnits(NamedTuple):
    """Units in which the progress of a search is drawn: names and divisors of effort and values.

    per_value: negative if the search maximises the value. bound: name of the bound in the legend.
    without: text if there is no bound.
    """

    effort: str
    per_effort: int
    value: str
    per_value: int
    bound: str = "proved bound"
    without: str = "no bound is known"


_ON_REPLAY = ProgressUnits(
    "simulated requests [millions]",
    _MILLION,
    "value, the formula's is 1",
    1,
    without="no bound is known. Each stage of the search simulates other requests, so values of "
    "different stages are not comparable",
)
_OF_HIGHS, _ITS_BOUND = "checks of HiGHS", "claimed bound"
_EXHAUSTED = "no bound is known until the search ends: the result is then the best of all"


def compiled_course(compiled: AnyCompiled) -> Figure | None:
    """Draw the progress of a compile's search; None if none was recorded or it ended at once."""
    for tuned in compiled.additions_of(TunedTable):
        return course_figure(tuned.course, _ON_REPLAY)
    chosen = compiled.sweep.chosen
    if (scale_of := _SCALES.get(type(chosen.problem))) is None:
        return None
    return course_figure(chosen.solution.course, scale_of(chosen.problem))


def _cluster_units(problem: ClusterProblem) -> ProgressUnits:
    value = problem.objective.value
    if problem.method is PlanMethod.MIP:
        return ProgressUnits(_OF_HIGHS, 1, value, _MILLION, _ITS_BOUND)
    return ProgressUnits("linear programs", 1, value, _MILLION)


def _racks_units(problem: RacksProblem) -> ProgressUnits:
    value = problem.objective.value
    if problem.method is PlanMethod.MIP:
        return ProgressUnits(_OF_HIGHS, 1, value, -_MILLION, _ITS_BOUND)
    return ProgressUnits("steps of annealing", 1, value, -_MILLION)


def _ladder_units(problem: LadderProblem) -> ProgressUnits:
    value = f"{problem.objective.value} [ms], mean over loads"
    return ProgressUnits(_LADDER, 1, value, _US_PER_MS, without=_EXHAUSTED)


# Problem types whose solutions record the progress of the search.
_SCALES: Mapping[type[Problem], Callable[[Any], ProgressUnits]] = {
    ClusterProblem: _cluster_units,
    RacksProblem: _racks_units,
    LadderProblem: _ladder_units,
}


def course_figure(course: Sequence[ConvergencePoint], scale: ProgressUnits) -> Figure | None:
    """Draw the progress of a search over its effort; None if it has a single point."""
    if len(course) < 2:
        return None
    end = course[-1].effort / scale.per_effort * (1 + _ROOM) or 1.0
    stages = [list(stage) for _, stage in itertools.groupby(course, lambda one: one.stage)]
    begins = [stage[0].effort / scale.per_effort for stage in stages[1:]]
    lines: list[_StageLine] = []
    for stage, upto in zip(stages, [*begins, end], strict=True):
        best = _steps([(one.effort, one.incumbent) for one in stage], scale, upto)
        bound = _steps([(one.effort, one.bound) for one in stage], scale, upto)
        lines += [_StageLine("best found", _FOUND, best), _StageLine(scale.bound, _BOUND, bound)]
    plot = _plot([line for line in lines if line.points], scale, end)
    marks = [plot.line(line.points, line.tone) for line in lines if line.points]
    marks += [plot.upright(at, f"stage {number}") for number, at in enumerate(begins, start=2)]
    caption = _caption(course[-1], scale)
    return plot.figure(_IDENT, _TITLE, caption, (_numbers(course, scale),), marks)


class _StageLine(NamedTuple):
    """A line of one stage of the search."""

    name: str
    tone: str
    points: list[Point]


def _plot(lines: Sequence[_StageLine], scale: ProgressUnits, end: float) -> Plot:
    values = [y for line in lines for _, y in line.points]
    low, high = min(values), max(values)
    room = _ROOM * (high - low or abs(high) or 1.0)
    names = dict.fromkeys((line.name, line.tone) for line in lines)
    return Plot(
        linear(scale.effort, 0.0, end),
        linear(scale.value, low - room, high + room),
        tuple(LegendEntry(name, tone) for name, tone in names),
    )


def _caption(last: ConvergencePoint, scale: ProgressUnits) -> str:
    caption = "Best value found, by effort"
    if last.bound is None:
        return f"{caption}; {scale.without}."
    caption += (
        f", and the {scale.bound}, which no value can be better than; the gap is between them"
    )
    if not last.incumbent or last.gap is None:
        return f"{caption}."
    return f"{caption}, in the end {max(last.gap, 0.0) / abs(last.incumbent):.2%}."


def _steps(
    course: Sequence[tuple[int, float | None]], scale: ProgressUnits, end: float
) -> list[Point]:
    """Points of a step function: each value holds until the next one, the last until `end`."""
    points: list[Point] = []
    for effort, value in course:
        if value is not None:
            at = effort / scale.per_effort
            points += [(at, points[-1][1])] if points else []
            points.append((at, value / scale.per_value))
    return points and [*points, (end, points[-1][1])]


def _numbers(course: Sequence[ConvergencePoint], scale: ProgressUnits) -> Numbers:
    rows = []
    for one in course:
        scaled = [(one.incumbent, scale.per_value), (one.bound, scale.per_value)]
        values = ("" if value is None else f"{value / per:.9g}"
                  for value, per in (*scaled, (one.gap, abs(scale.per_value))))  # fmt: skip
        rows.append((f"{one.effort / scale.per_effort:.9g}", *values, str(one.stage + 1)))
    heads = (scale.effort, f"best found: {scale.value}", "bound", "gap", "stage")
    return Numbers(_IDENT, heads, tuple(rows))
