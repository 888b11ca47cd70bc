"""Evidence and warnings of a plan on racks."""

from __future__ import annotations

import math

from tailc.errors import Code, Finding, Severity
from tailc.forms.plan.plan_books import plan_books
from tailc.percentiles import PPM
from tailc.pipeline.plan_battery import saved_udollars
from tailc.pipeline.rigid_jobs.formulation import MOVE_UDOLLARS
from tailc.pipeline.rigid_jobs.violations import lost_jobs
from tailc.problems.plan import PlanMethod
from tailc.problems.rigid_jobs import PlanSolution, RacksProblem
from tailc.units import plural


def racks_settings(problem: RacksProblem, solution: PlanSolution) -> dict[str, int]:
    """Value, bound, inputs and search parameters of a plan on racks, for its evidence.

    Money is in millionths of a dollar. `value` and `bound` are of the search's objective;
    `profit_udollars` is the plan's profit, rounded down.
    """
    settings = {
        "begun_jobs": sum(one.must_run for one in problem.jobs),
        "expected_jobs": sum(map(len, problem.expected)),
        "spans": len(problem.expected),
        "known_jobs": len(problem.jobs),
        "move_udollars": MOVE_UDOLLARS,
        "opportunity_udollars": problem.epsilon_udollars,
        "placed_jobs": solution.admitted,
        "profit_udollars": math.floor(plan_books(solution.plan).profit_udollars),
        "refused_before": problem.refused_before,
        "scenarios": len(problem.supply.scenarios_mw),
        "seed": problem.search.seed,
        "value": solution.value,
        "weight_carbon": problem.weights.carbon,
        "weight_energy": problem.weights.energy,
        "weight_money": problem.weights.money,
    }
    if solution.bound is not None:
        settings["bound"] = solution.bound
        settings["gap_ppm"] = gap_ppm(solution.value, solution.bound)
    if problem.method is PlanMethod.ANNEAL:
        settings["steps"] = problem.search.steps
    if problem.battery is not None:
        settings["battery_saved_udollars"] = saved_udollars(solution.plan)
    if problem.search.nodes is not None:
        settings["nodes"] = problem.search.nodes
    return settings


def gap_ppm(value: int, bound: int) -> int:
    """Relative gap of a plan's value to its bound [1e-6]: (bound - value) / value, rounded up."""
    return -(-max(bound - value, 0) * PPM // max(abs(value), 1))


def racks_remarks(problem: RacksProblem, solution: PlanSolution) -> tuple[Finding, ...]:
    """Warn of duplicate job numbers, refused jobs, broken promises, no prices, no green racks."""
    findings = (
        _renamed_warning(problem),
        _refused_before(problem),
        _turned_away(problem, solution),
    )
    findings = (*findings, _lost_warning(problem), _unpriced_warning(problem), _dark(solution))
    return tuple(one for one in findings if one is not None)


_RENAMES = "renames them; the first is now"


def _renamed_warning(problem: RacksProblem) -> Finding | None:
    if not problem.renamed:
        return None
    one = len(problem.renamed) == 1
    message = (
        f"{plural(len(problem.renamed), 'job')} {'has' if one else 'have'} the same number as "
        f"another job of the log, so the plan {'calls it' if one else _RENAMES} "
        f"`{problem.renamed[0]}`"
    )
    hint = "give each job a different number; a list of jobs needs no column of numbers"
    return _warning(Code.SAME_NUMBER, message, hint, "jobs")


def _refused_before(problem: RacksProblem) -> Finding | None:
    if not problem.refused_before:
        return None
    message = (
        f"{plural(problem.refused_before, 'job')} submitted before the start of the plan found no "
        "free servers when submitted; the plan counts them as refused"
    )
    hint = "if they did run, raise `divide_width`, or plan more servers"
    return _warning(Code.JOBS_LEFT_OUT, message, hint, "jobs")


def _turned_away(problem: RacksProblem, solution: PlanSolution) -> Finding | None:
    away = len(problem.jobs) - solution.admitted
    if not away:
        return None
    message = (
        f"{plural(away, 'job')} of {len(problem.jobs)} refused, because they find no free servers "
        "or bring no profit"
    )
    hint = "no change is needed if `terms` should refuse them; else plan more servers"
    return _warning(Code.JOBS_TURNED_AWAY, message, hint, "jobs")


def _lost_warning(problem: RacksProblem) -> Finding | None:
    lost = lost_jobs(problem) if problem.enforces_violations else []
    if not lost:
        return None
    them = "it" if len(lost) == 1 else "them"
    message = (
        f"{plural(len(lost), 'running job')} would miss the promised green energy even "
        f"on green servers alone (the first is `{lost[0]}`); `violations` does not count {them}"
    )
    hint = "no change is needed: the penalty is part of the profit"
    return _warning(Code.LOST_PROMISE, message, hint, "jobs")


def _unpriced_warning(problem: RacksProblem) -> Finding | None:
    if any(problem.expected):
        return None
    message = "no jobs from before the plan are known, so prices cannot be learned from them"
    hint = "start the plan later in the log; prices now come from the known jobs or from energy"
    return _warning(Code.NO_EXPECTED_JOBS, message, hint, "horizon", "learn_from")


def _dark(solution: PlanSolution) -> Finding | None:
    pools = len(solution.plan.pools)
    if any(epoch.first_green_pool != pools for epoch in solution.plan.epochs):
        return None
    message = "the expected green power is below that of one rack, so no rack is green"
    hint = "check the unit of `supply.green`, or plan smaller racks"
    return _warning(Code.NO_GREEN_POWER, message, hint, "supply", "green")


def _warning(code: Code, message: str, hint: str, *about: str) -> Finding:
    return Finding(code, message, None, hint, Severity.WARNING, about)
