"""Reports of a compile for rigid jobs on racks: number of jobs, income and optimality."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from tailc.percentiles import PPM
from tailc.problems.rigid_jobs import PlanSolution, RacksProblem
from tailc.report.plan import cents_text
from tailc.units import digits_text, plural

if TYPE_CHECKING:
    from tailc.forecasts.days import Days
    from tailc.pipeline.compile import CompiledPolicy

_Compiled: TypeAlias = "CompiledPolicy[RacksProblem, PlanSolution, Days]"


def solution_result(compiled: _Compiled) -> dict[str, object]:
    """Build the JSON data of a plan of rigid jobs: counts of jobs, amounts in 1e-6 dollars.

    `value` is the objective, `bound` its upper bound over all plans, `gap_ppm` the difference; the
    last two are null without a proof.
    """
    problem, solution = compiled.sweep.chosen.pair
    settings = dict(compiled.policy.evidence.settings)
    return {
        "racks": {
            "known": len(problem.jobs),
            "running": settings["begun_jobs"],
            "placed": solution.admitted,
            "refused_before": problem.refused_before,
            "expected": settings["expected_jobs"],
            "spans": settings["spans"],
            "profit_udollars": settings["profit_udollars"],
            "value": solution.value,
            "bound": solution.bound,
            "gap_ppm": settings.get("gap_ppm"),
        }
    }


def solution_text(compiled: _Compiled) -> str:
    """Format the counts of jobs and the amounts of a plan in four lines."""
    problem, solution = compiled.sweep.chosen.pair
    settings = dict(compiled.policy.evidence.settings)
    gap_ppm = settings.get("gap_ppm")
    proof = "no bound is proved"
    if gap_ppm is not None:
        assert solution.bound is not None
        gap = f"{digits_text(gap_ppm * 100 / PPM, 3)} %"
        proof = f"no plan has more than {cents_text(solution.bound)} (gap {gap})"
    learned = (
        f"of {plural(settings['expected_jobs'], 'job')} in {plural(settings['spans'], 'span')}"
    )
    value = f"{cents_text(solution.value)}, the profit less opportunity costs, as weighed"
    return "\n".join(
        [
            f"placed      {solution.admitted} of {plural(len(problem.jobs), 'job')}, "
            f"{settings['begun_jobs']} of which had begun",
            f"profit      {cents_text(settings['profit_udollars'])} expected",
            f"value       {value}; {proof}",
            f"prices      {learned} before the start",
        ]
    )
