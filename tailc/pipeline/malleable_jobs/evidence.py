"""Evidence and warnings of a plan for a cluster."""

from __future__ import annotations

from tailc.artifact.machines import VMS_OF
from tailc.errors import Code, Finding, Severity
from tailc.forms.plan.plan import PPM
from tailc.pipeline.plan_battery import saved_udollars
from tailc.problems.malleable_jobs import ClusterProblem, ClusterSolution
from tailc.problems.plan import PlanMethod
from tailc.units import format_ppm, plural

# Slack in the gap: value and bound are each rounded by up to 1, in the unfavourable direction.
ROUNDED = 2


def cluster_settings(problem: ClusterProblem, solution: ClusterSolution) -> dict[str, int]:
    """Value, bound, gap and search size of a plan for a cluster, for its evidence [micro-units]."""
    settings = {
        "columns": solution.columns,
        "epochs_beyond": solution.epochs_beyond,
        "left_out": problem.left_out,
        "nodes": solution.nodes,
        "run_cost": problem.run_cost,
        "scenarios": len(problem.supply.scenarios_mw),
        "spans": solution.spans,
        "value": solution.value,
    }
    settings |= {
        f"{VMS_OF}{job.name}": run.vms
        for job, run in zip(problem.jobs, solution.placed, strict=True)
        if run.vms != min(job.speedup_ppm)
    }
    if problem.battery is not None:
        settings["battery_saved_udollars"] = saved_udollars(solution.plan)
    if problem.method is PlanMethod.COLUMNS:
        settings["aim_ppm"] = problem.search.aim_ppm
    if solution.bound is not None and solution.gap_ppm is not None:
        settings |= {"bound": solution.bound, "gap_ppm": solution.gap_ppm}
    return settings


def cluster_remarks(problem: ClusterProblem, solution: ClusterSolution) -> tuple[Finding, ...]:
    """Warn of a gap above the requested one, of jobs left out, and of prices without past days."""
    return (*_open_gap(problem, solution), *_left_out(problem), *_own_prices(solution))


def _open_gap(problem: ClusterProblem, solution: ClusterSolution) -> tuple[Finding, ...]:
    if problem.method is not PlanMethod.COLUMNS or solution.bound is None:
        return ()
    aim_ppm, gap = problem.search.aim_ppm, solution.value - solution.bound
    value = abs(solution.value)
    if PPM * (gap - ROUNDED) <= aim_ppm * value:
        return ()
    message = (
        f"a better plan may exist that costs up to {100 * gap / max(value, 1):.2f} % less; a gap "
        f"of {format_ppm(aim_ppm)} was requested"
    )
    hint = "raise `search.nodes`, or raise `search.gap` if this gap is acceptable"
    about = ("search", "gap")
    return (Finding(Code.OPEN_GAP, message, help=hint, severity=Severity.WARNING, about=about),)


def _left_out(problem: ClusterProblem) -> tuple[Finding, ...]:
    if not problem.left_out:
        return ()
    message = (
        f"{plural(problem.left_out, 'job')} {'is' if problem.left_out == 1 else 'are'} left out: "
        "on the servers that they request, they would begin after the horizon"
    )
    hint = "add servers, or make jobs narrower (`divide_width`, `map_width`) or shorter"
    about = ("cluster", "servers")
    finding = Finding(
        Code.JOBS_TURNED_AWAY, message, help=hint, severity=Severity.WARNING, about=about
    )
    return (finding,)


def _own_prices(solution: ClusterSolution) -> tuple[Finding, ...]:
    if solution.spans:
        return ()
    message = (
        "no jobs from before the plan are known, so prices are computed from the jobs of the plan"
    )
    hint = "start the plan later in the log and the energy series, or shorten the horizon"
    about = ("horizon", "learn_from")
    code = Code.NO_EXPECTED_JOBS
    return (Finding(code, message, help=hint, severity=Severity.WARNING, about=about),)
