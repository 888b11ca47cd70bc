"""Solve a cluster's problem by column generation over schedules, or by one integer program."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from tailc_solvers.backends.adapters import Backend, Solver
from tailc_solvers.backends.linear import BackendLimits, SolverOutcome
from tailc_solvers.course import SearchProgress
from tailc_solvers.green.parallel.columns import ColumnsEffort, ColumnsSolution, solve_columns
from tailc_solvers.green.parallel.indexed_plan import solve_indexed
from tailc_solvers.green.parallel.solution import CostedPlan, ParallelSolution, with_better_bound

from tailc.forms.plan.plan import PPM
from tailc.pipeline.convergence import convergence_points
from tailc.pipeline.malleable_jobs.formulation import ClusterFormulation, formulate, idle_cost
from tailc.pipeline.malleable_jobs.in_force import columns_in_force
from tailc.pipeline.malleable_jobs.infeasible import check_solver, no_plan_error
from tailc.pipeline.malleable_jobs.schedule import check_books, check_placements, plan_of
from tailc.pipeline.malleable_jobs.shadow_prices import ServerPrices, server_prices
from tailc.pipeline.plan_battery import with_own_battery
from tailc.pipeline.plan_solvers import backend_for_prices
from tailc.problems.malleable_jobs import ClusterProblem, ClusterSolution, NamedMalleable
from tailc.problems.plan import PlanMethod
from tailc.progress import Progress, silent

DUAL_BOUND, SOLVER_CLAIM, BY_DEFINITION, NONE = (
    "dual-bound",
    "solver-claim",
    "by-definition",
    "none",
)


@dataclass(frozen=True, eq=False)
class _SolvedCluster:
    """A plan of the problem's jobs, and the columns that it comes from or was compared with."""

    formulation: ClusterFormulation
    solution: ParallelSolution
    best: CostedPlan
    columns: ColumnsSolution


def solve_for_clusters(
    problem: ClusterProblem, _threads: int = 1, progress: Progress = silent
) -> ClusterSolution:
    """Compute the plan of malleable jobs, and the prices for future jobs.

    Raises TailcError if no plan keeps every job's slowdown (INFEASIBLE), if a limit ends the search
    without a plan (BUDGET_ENDED), and if a solver fails.
    """
    progress("planning", 0.0)
    limits = _limits(problem)
    with Solver(backend_for_prices(problem.search)) as solver:
        solved = _solve(problem, solver, limits) if problem.jobs else None
        own = (
            (solved.formulation, solved.columns)
            if solved is not None and not problem.expected
            else None
        )
        prices = server_prices(problem, own, solver, limits, progress)
    return _without_jobs(problem, prices) if solved is None else _with_jobs(problem, solved, prices)


def _solve(problem: ClusterProblem, solver: Solver, limits: BackendLimits) -> _SolvedCluster:
    """Solve the problem. solver: gives prices of rows; the spec may name another one for the plan.

    A general solver only claims an optimum, so column generation tries to find a better plan.
    """
    formulation = formulate(problem, problem.jobs)
    if problem.method is PlanMethod.MIP:
        with Solver(problem.search.solver) as other:
            proposed = solve_indexed(formulation.parallel, other, limits)
        check_solver(Backend(problem.search.solver), proposed)
        columns = _by_columns(formulation, solver, limits)
        check_solver(solver.backend, columns.solution)
        solution = with_better_bound(proposed, columns.solution)
        check_solver(Backend(problem.search.solver), solution)
    else:
        columns = _by_columns(formulation, solver, limits)
        solution = columns.solution
        check_solver(solver.backend, solution)
    if solution.best is None:

        def again(jobs: Sequence[NamedMalleable]) -> ParallelSolution:
            return _by_columns(formulate(problem, jobs), solver, limits).solution

        raise no_plan_error(problem, solution, again)
    return _SolvedCluster(formulation, solution, solution.best, columns)


def _by_columns(
    formulation: ClusterFormulation, solver: Solver, limits: BackendLimits
) -> ColumnsSolution:
    search, effort = formulation.problem.search, ColumnsEffort()
    nodes = effort.nodes if search.nodes is None else search.nodes
    effort = ColumnsEffort(aim=search.aim_ppm / PPM, nodes=nodes)
    warm = columns_in_force(formulation)
    return solve_columns(formulation.parallel, solver, effort=effort, limits=limits, warm=warm)


def _limits(problem: ClusterProblem) -> BackendLimits:
    search = problem.search
    if search.method is PlanMethod.MIP and search.nodes is not None:
        return BackendLimits(wall_s=search.wall_s, nodes=search.nodes)
    return BackendLimits(wall_s=search.wall_s)


def _with_jobs(
    problem: ClusterProblem, solved: _SolvedCluster, prices: ServerPrices
) -> ClusterSolution:
    formulation, solution, best = solved.formulation, solved.solution, solved.best
    plan = plan_of(problem, best.plan.servers, prices)
    check_books(formulation, best, plan)
    # The solver rounds the cost of a kWh down, so its bound also holds for the exact cost.
    idle = idle_cost(problem)
    proved = solution.bounds.proved
    bound = None if proved is None else math.floor(proved + idle)
    return ClusterSolution(
        plan=with_own_battery(plan, problem.battery, problem.weights),
        value=math.ceil(formulation.cost(best.ledger)),
        bound=bound,
        placed=check_placements(problem, best.plan),
        columns=len(solved.columns.columns),
        nodes=solved.columns.nodes,
        epochs_beyond=formulation.epochs_beyond,
        spans=prices.spans,
        proof=_proof(solution),
        course=convergence_points(_convergence(solved), added=float(idle)),
        solver=f"{_METHODS[problem.method]} with {problem.search.solver}",
    )


def _convergence(solved: _SolvedCluster) -> tuple[SearchProgress, ...]:
    """Convergence by the method: columns prove their bounds, and a general solver claims them."""
    is_proposed = solved.formulation.problem.method is PlanMethod.MIP
    return solved.solution.course if is_proposed else solved.columns.course


def _without_jobs(problem: ClusterProblem, prices: ServerPrices) -> ClusterSolution:
    """The plan without jobs: the cost of sleeping servers is both value and bound."""
    epochs = problem.supply.epochs
    plan = plan_of(problem, np.zeros((0, epochs), np.int64), prices)
    cost = idle_cost(problem)
    return ClusterSolution(
        plan=with_own_battery(plan, problem.battery, problem.weights),
        value=math.ceil(cost),
        bound=math.floor(cost),
        placed=(),
        columns=0,
        nodes=0,
        epochs_beyond=0,
        spans=prices.spans,
        proof=BY_DEFINITION,
        solver=_METHODS[problem.method],
    )


_METHODS = {
    PlanMethod.COLUMNS: "tailc_solvers.green.parallel.columns",
    PlanMethod.MIP: "tailc_solvers.green.parallel.indexed_plan",
}


def _proof(solution: ParallelSolution) -> str:
    if solution.bounds.proved is not None:
        return DUAL_BOUND
    return SOLVER_CLAIM if solution.outcome is SolverOutcome.OPTIMAL else NONE
