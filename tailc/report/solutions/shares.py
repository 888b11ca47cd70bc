"""Reports of a compile for virtual machines with throughput targets."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from tailc.models.columns import percent
from tailc.problems.shares import SharesProblem, SharesSolution
from tailc.report.json_data import json_data
from tailc.report.table import align_columns
from tailc.units import format_mrps, printable

if TYPE_CHECKING:
    from tailc.pipeline.compile import CompiledPolicy
    from tailc.traces.throughput import ThroughputTrace

_Compiled: TypeAlias = "CompiledPolicy[SharesProblem, SharesSolution, ThroughputTrace]"


def solution_result(compiled: _Compiled) -> dict[str, object]:
    """Build the JSON data of each machine: model, error of a step, attainable and needed shares."""
    return {"models": [json_data(model) for model in compiled.sweep.chosen.solution.models]}


def solution_text(compiled: _Compiled) -> str:
    """Format the model of each machine as a table: error, attainable and needed shares."""
    rows = [("machine", "error of a step", "the whole host does", "the target needs")]
    rows += [
        (
            printable(model.name),
            percent(model.error_ppm),
            format_mrps(model.max_milli),
            percent(model.needs_ppm),
        )
        for model in compiled.sweep.chosen.solution.models
    ]
    return align_columns(rows, (1, 2, 3))
