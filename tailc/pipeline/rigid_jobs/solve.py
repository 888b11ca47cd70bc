"""Solve a problem of rigid jobs on racks: a plan with prices.

The value of a plan is its profit minus an opportunity cost, which is not billed, with brown energy
weighted by the spec. The bound holds for the value of every plan.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tailc_solvers.backends.adapters import Solver
from tailc_solvers.course import SearchProgress
from tailc_solvers.green.sla.check import figures_of, load_of
from tailc_solvers.green.sla.problem import Groups
from tailc_solvers.green.sla.problem import Plan as Placements

from tailc.errors import Code, Finding, TailcError
from tailc.forms.plan.plan import Epoch, Plan, PlannedJob, Pool, PoolPrices
from tailc.forms.plan.spans import spans_of
from tailc.pipeline.convergence import convergence_points
from tailc.pipeline.plan_battery import with_own_battery
from tailc.pipeline.plan_solvers import backend_for_prices
from tailc.pipeline.rigid_jobs.formulation import RacksFormulation, places_of
from tailc.pipeline.rigid_jobs.in_force import better_of
from tailc.pipeline.rigid_jobs.robust import RobustSearch
from tailc.pipeline.rigid_jobs.search import RacksSearch
from tailc.pipeline.rigid_jobs.shadow_prices import prices_of
from tailc.pipeline.rigid_jobs.violations import within_violations
from tailc.problems.plan import PlanMethod
from tailc.problems.rigid_jobs import PlanSolution, RacksProblem
from tailc.progress import Progress, silent
from tailc.traces.zones import utc_text

_MODULES = {
    PlanMethod.ARRIVAL: "tailc_solvers.green.sla.arrival",
    PlanMethod.ANNEAL: "tailc_solvers.green.sla.anneal",
}


def solve_for_racks(
    problem: RacksProblem, _threads: int = 1, progress: Progress = silent
) -> PlanSolution:
    """Compute the plan of rigid jobs, with prices of servers for later jobs.

    Raises TailcError if jobs that have begun need more servers than there are, or miss more green
    energy than `violations` permits (INFEASIBLE), and if a general solver has no answer within its
    limits (BUDGET_ENDED), is not installed (MISSING_PART), refuses the problem (METHOD_UNFIT),
    crashes, or gives a wrong answer (SOLVER_FAILED).
    """
    _check_room(problem)
    formulation = RacksFormulation(problem)
    with Solver(backend_for_prices(problem.search)) as solver:
        progress("placing jobs", 0.0)
        result = (
            _by_scenarios(formulation, solver)
            if formulation.scenarios
            else _by_forecast(formulation, solver)
        )
        prices = prices_of(formulation, _left_by_begun(formulation, result.plan), solver, progress)
    grid_cost = problem.grid_cost
    bound = result.bound - formulation.asleep_cost - math.floor(grid_cost)
    is_proved = math.isfinite(bound)
    plan = racks_plan(problem, formulation.groups, result.plan, prices)
    return PlanSolution(
        plan=with_own_battery(plan, problem.battery, problem.weights),
        value=result.value - formulation.asleep_cost - math.ceil(grid_cost),
        bound=math.ceil(bound) if is_proved else None,
        admitted=sum(one is not None for one in result.plan),
        evaluations=problem.search.steps if problem.method is PlanMethod.ANNEAL else 1,
        proof="dual-bound" if is_proved else "none",
        solver=_solver(problem),
        course=convergence_points(result.course, added=float(formulation.asleep_cost + grid_cost)),
    )


@dataclass(frozen=True)
class _PlacedJobs:
    """Places with their value and bound, without the energy of sleeping servers."""

    plan: Placements
    value: int
    bound: float
    course: tuple[SearchProgress, ...] = ()


def _by_forecast(formulation: RacksFormulation, solver: Solver) -> _PlacedJobs:
    search = RacksSearch(formulation, solver)
    result = search.run()
    assert result.plan is not None
    bound = search.bound if search.jobs else result.bound
    plan = within_violations(
        formulation, search.jobs, better_of(formulation, search.jobs, result.plan)
    )
    value = figures_of(formulation.groups, search.jobs, plan).value
    return _PlacedJobs(plan, value, min(bound, result.bound), result.course)


def _by_scenarios(formulation: RacksFormulation, solver: Solver) -> _PlacedJobs:
    search = RobustSearch(formulation, solver)
    result = search.run()
    plan = within_violations(formulation, search.jobs, result.plan)
    value = result.value if plan is result.plan else search.mean_value(plan)
    return _PlacedJobs(plan, value, result.bound)


def _solver(problem: RacksProblem) -> str:
    if len(problem.supply.scenarios_mw):
        own = "tailc_solvers.green.sla.robust"
        return (
            own if problem.method is PlanMethod.ARRIVAL else f"{own} with {problem.search.solver}"
        )
    return _MODULES.get(problem.method, problem.search.solver)


def _left_by_begun(formulation: RacksFormulation, placed: Placements) -> Groups:
    """The servers left free by jobs that must run; other jobs may never come."""
    groups, jobs = formulation.groups, formulation.jobs(formulation.problem.jobs)
    begun = tuple(one if job.must_run else None for job, one in zip(jobs, placed, strict=True))
    return groups.with_load(*load_of(groups, jobs, begun))


def _check_room(problem: RacksProblem) -> None:
    needed = np.zeros(problem.supply.epochs, np.int64)
    for one in problem.jobs:
        if one.must_run:
            needed[one.job.first_epoch : one.job.first_epoch + one.job.epochs] += one.job.width
    most, servers = int(needed.max(initial=0)), problem.racks * problem.rack_servers
    if most > servers:
        when = utc_text(problem.start_unix_s + int(needed.argmax()) * problem.epoch_s)
        message = (
            f"running jobs need {most:,} servers at `{when}`, but the datacentre has {servers:,}"
        )
        hint = f"plan at least {most:,} servers, raise `divide_width`, or start at another time"
        about = ("datacentre", "racks")
        raise TailcError(Finding(Code.INFEASIBLE, message, help=hint, about=about))


def racks_plan(
    problem: RacksProblem, groups: Groups, placed: Placements, prices: NDArray[np.int64]
) -> Plan:
    """Build the plan form from the servers of jobs and prices of servers.

    groups: groups of racks. prices: int64 (groups, epochs).
    """
    supply = problem.supply
    first_green = (~groups.is_green).sum(axis=0).tolist()
    rows = zip(
        supply.green_mw.tolist(),
        supply.brown_udollars_per_kwh.tolist(),
        supply.brown_mg_per_kwh.tolist(),
        first_green,
        strict=True,
    )
    return Plan(
        start_unix_s=problem.start_unix_s,
        epoch_s=problem.epoch_s,
        pools=_pools(problem, groups),
        epochs=tuple(Epoch(*row) for row in rows),
        jobs=tuple(
            PlannedJob(named.name, spans_of(places_of(one, groups)), named.promised_slots)
            for named, one in zip(problem.jobs, placed, strict=True)
            if one is not None
        ),
        prices=tuple(PoolPrices(tuple(row)) for row in prices.tolist()),
        terms=problem.terms,
        malleable=None,
        violations_ppm=problem.violations_ppm,
        grid_mw=problem.grid_mw,
    )


def _pools(problem: RacksProblem, groups: Groups) -> tuple[Pool, ...]:
    racks = (groups.servers // problem.rack_servers).tolist()
    firsts = itertools.accumulate(racks, initial=1)
    return tuple(
        Pool(
            name=f"rack {first}" if count == 1 else f"racks {first}-{first + count - 1}",
            servers=count * problem.rack_servers,
            busy_mw=problem.busy_mw,
            asleep_mw=problem.asleep_mw,
            migration_mj=problem.migration_mj,
            racks=count,
        )
        for first, count in zip(firsts, racks, strict=False)
    )
