"""Ways to solve the planning problem of malleable jobs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from tailc_solvers.backends.adapters import Solver
from tailc_solvers.backends.linear import BackendLimits
from tailc_solvers.green.parallel.check import faults_of
from tailc_solvers.green.parallel.columns import ColumnsEffort, ColumnsSolution, solve_columns
from tailc_solvers.green.parallel.problem import ParallelProblem
from tailc_solvers.green.parallel.schedules import Column

from tailc.pipeline.allocators.steps import columns_of


class Solve(Protocol):
    """A function that plans all jobs of a problem, or returns why there is no plan."""

    def __call__(self, problem: ParallelProblem, warm: Sequence[Column]) -> ColumnsSolution:
        """Solve the problem. warm: schedules to start from; ones that do not fit are ignored."""
        ...


def column_generation(
    solver: Solver, effort: ColumnsEffort | None = None, limits: BackendLimits | None = None
) -> Solve:
    """Make a planning function that uses column generation, with linear programs by `solver`."""

    def solve(problem: ParallelProblem, warm: Sequence[Column]) -> ColumnsSolution:
        return solve_columns(problem, solver, effort=effort, limits=limits, warm=warm)

    return solve


def checked_columns(problem: ParallelProblem, result: ColumnsSolution) -> list[Column] | None:
    """The schedules of the best plan, if it passes the exact checks; else None."""
    best = result.solution.best
    if best is None or faults_of(problem, best.plan):
        return None
    return columns_of(best.plan.servers, best.plan.shape)
