"""Reports of a compile for SMT lanes: slowdown of requests and batch work, results by rate."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from tailc.models.columns import percent
from tailc.problems.borrowing import BorrowingProblem, BorrowingSolution, LoadPoint
from tailc.report.json_data import json_data
from tailc.report.table import align_columns
from tailc.units import format_mrps, format_ppm, format_us

if TYPE_CHECKING:
    from tailc.pipeline.compile import CompiledPolicy
    from tailc.traces.profile import DemandProfile

_Compiled: TypeAlias = "CompiledPolicy[BorrowingProblem, BorrowingSolution, DemandProfile]"

# For a table that was tuned by simulation, these are the replays of the search's start.
_UNTUNED = {"this policy": "untuned"}
_TITLE = ("rate", "requests alone", "budget", "this policy", "batch work", "at most")


def solution_result(compiled: _Compiled) -> dict[str, object]:
    """Build the JSON data: how lanes of a core slow each other, and one entry per rate."""
    solution = compiled.sweep.chosen.solution
    return {
        "interference_ppm": solution.lanes.interference_ppm,
        "batch_slowdown_ppm": solution.lanes.batch_slowdown_ppm,
        "points": [json_data(point) for point in solution.points],
    }


def solution_text(compiled: _Compiled) -> str:
    """Format the slowdown of both lanes in words, and the results by rate as a table."""
    solution = compiled.sweep.chosen.solution
    slower, slowed = solution.lanes.interference_ppm, solution.lanes.batch_slowdown_ppm
    text = (
        f"requests are {format_ppm(slower)} slower while they share a core with batch work, "
        f"which is {format_ppm(slowed)} slower"
    )
    title = _TITLE
    if compiled.has_tuned_table:
        title = tuple(_UNTUNED.get(word, word) for word in _TITLE)
    rows = [title, *map(_row, solution.points)]
    if all(point.most_ppm is None for point in solution.points):
        rows = [row[:-1] for row in rows]
    table = align_columns(rows, numbers=tuple(range(len(_TITLE))))
    return f"{text}\ntails of the design sample, replayed\n{table}"


def _row(point: LoadPoint) -> tuple[str, ...]:
    budget_us = point.budget_us
    return (
        format_mrps(point.rate_mrps),
        format_us(point.alone_us),
        "-" if budget_us is None else format_us(budget_us),
        "no end" if point.tail_us is None else format_us(point.tail_us),
        percent(point.batch_ppm),
        "unknown" if point.most_ppm is None else percent(point.most_ppm),
    )
