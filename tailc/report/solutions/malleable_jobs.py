"""Reports of a compile for malleable jobs on a cluster."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

from tailc.forms.plan.plan_books import plan_books
from tailc.problems.malleable_jobs import ClusterProblem, ClusterSolution
from tailc.report.plan import money_text
from tailc.units import digits_text, plural

if TYPE_CHECKING:
    from tailc.forecasts.days import Days
    from tailc.pipeline.compile import CompiledPolicy

_Compiled: TypeAlias = "CompiledPolicy[ClusterProblem, ClusterSolution, Days]"

_S_PER_MIN = 60


def solution_result(compiled: _Compiled) -> dict[str, object]:
    """Build the JSON data: jobs, run times, and energy and cost of the plan.

    Times are sums over the jobs in seconds; `requested_s` is the sum with the requested servers.
    Energy over the horizon is in millijoules, CO2 in milligrams; value and bound are in 1e-6
    dollars over the whole time of all jobs.
    """
    problem, solution = compiled.sweep.chosen.pair
    books = plan_books(solution.plan).ledger
    return {
        "cluster": {
            "jobs": len(problem.jobs),
            "excluded_jobs": problem.left_out,
            "cut": sum(one.is_cut for one in solution.placed),
            "vms": sum(one.vms for one in solution.placed),
            "run_s": sum(one.run_s for one in solution.placed),
            "requested_s": sum(job.asked_s for job in problem.jobs),
            "demand_mj": books.demand_mj,
            "green_mj": books.green_used_mj,
            "brown_mj": books.brown_mj,
            "brown_udollars": round(books.brown_udollars),
            "brown_mg": round(books.brown_mg),
            "value": solution.value,
            "bound": solution.bound,
            "gap_ppm": solution.gap_ppm,
            "spans": solution.spans,
        }
    }


def solution_text(compiled: _Compiled) -> str:
    """Format the numbers, times and costs of malleable jobs; the plan's text has the energy."""
    problem, solution = compiled.sweep.chosen.pair
    lines = [f"planned     {_jobs_text(problem, solution)}"]
    if problem.jobs:
        lines.append(f"run time    {_times_text(problem, solution)}")
    lines.append(f"cost        {_cost_text(solution)}")
    lines.append(f"prices      {_prices_text(solution)}")
    return "\n".join(lines)


def _jobs_text(problem: ClusterProblem, solution: ClusterSolution) -> str:
    parts = [plural(len(problem.jobs), "job")]
    if vms := sum(one.vms for one in solution.placed):
        parts[0] += f" of {plural(vms, 'virtual machine')}"
    if cut := sum(one.is_cut for one in solution.placed):
        parts.append(f"{cut} {'goes' if cut == 1 else 'go'} on after the horizon")
    if problem.left_out:
        parts.append(f"{problem.left_out} left out")
    return "; ".join(parts)


def _times_text(problem: ClusterProblem, solution: ClusterSolution) -> str:
    jobs = len(problem.jobs)
    ran = Fraction(sum(one.run_s for one in solution.placed), jobs)
    requested = Fraction(sum(job.asked_s for job in problem.jobs), jobs)
    change = 100 * (ran / requested - 1)
    return (
        f"mean {_minutes(ran)}, {abs(float(change)):.1f} % {'less' if change < 0 else 'more'} than "
        f"the {_minutes(requested)} on the requested servers"
    )


def _minutes(seconds: Fraction) -> str:
    return f"{digits_text(float(seconds) / _S_PER_MIN, 4)} min"


def _cost_text(solution: ClusterSolution) -> str:
    parts = [f"{money_text(solution.value)} with run time, as weighed"]
    if solution.bound is not None and solution.gap_ppm is not None:
        gap = f"{solution.gap_ppm / 10_000:.2f} %"
        parts.append(f"no plan costs less than {money_text(solution.bound)} (gap {gap})")
    if solution.nodes:
        parts.append(plural(solution.nodes, "node"))
    if solution.epochs_beyond:
        parts.append(f"{plural(solution.epochs_beyond, 'epoch')} after the horizon counted")
    return "; ".join(parts)


def _prices_text(solution: ClusterSolution) -> str:
    if not solution.spans:
        return "from the plan's own jobs"
    return f"from the jobs of {plural(solution.spans, 'span')} of days before"
