"""Reports of a compile for a tail table: moments of a request, and its latency alone."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from tailc.problems.tail_table import TailProblem, TailSolution
from tailc.report.colocation_report import colocated_result, colocated_text
from tailc.report.json_data import json_data
from tailc.specs.slo import promise
from tailc.units import format_khz, format_us

if TYPE_CHECKING:
    from tailc.pipeline.compile import CompiledPolicy
    from tailc.traces.profile import DemandProfile

_Compiled: TypeAlias = "CompiledPolicy[TailProblem, TailSolution, DemandProfile]"

_NS_PER_US = 1_000


def solution_result(compiled: _Compiled) -> dict[str, object]:
    """Build the JSON data: cycles and time [ns] of a request, its percentile without waiting.

    It lists underestimated sums too, and batch work and power throttling if the spec has them.
    """
    problem, solution = _as_written(compiled)
    return colocated_result(problem, solution) | {
        "min_us": solution.least_us,
        "moments": json_data(solution.moments),
        "shortfalls": [json_data(each) for each in solution.shortfalls],
    }


def solution_text(compiled: _Compiled) -> str:
    """Format the mean request, and its percentile without waiting at the highest frequency.

    Batch work and power throttling follow if the spec has them.
    """
    problem, solution = _as_written(compiled)
    moments, highest = solution.moments, problem.levels[-1].frequency_khz
    memory, spread = (
        format_us(round(ns / _NS_PER_US))
        for ns in (moments.mean_memory_ns, moments.deviation_memory_ns)
    )
    alone = promise(problem.percentile_ppm, solution.least_us)
    requests = (
        f"request    {moments.mean_cycles:,} cycles (deviation {moments.deviation_cycles:,}) and "
        f"{memory} of memory time ({spread})\n"
        f"alone      {alone} at {format_khz(highest)}"
    )
    return "\n\n".join([requests, *colocated_text(problem, solution)])


def _as_written(compiled: _Compiled) -> tuple[TailProblem, TailSolution]:
    """The problem and its solution, with the power limit's effects on the policy that is written.

    Replays may have chosen other frequencies than the solution's.
    """
    from tailc.pipeline.colocation import power_limit_effects

    problem, solution = compiled.sweep.chosen.pair
    batch, khz = compiled.policy.batch, [level.frequency_khz for level in problem.levels]
    if solution.pair is None or batch is None:
        return problem, solution
    levels = khz.index(batch.least_khz), khz.index(batch.frequency_khz)
    pair = replace(solution.pair, least_level=levels[0], level=levels[1])
    return problem, replace(solution, throttled=power_limit_effects(problem, pair))
