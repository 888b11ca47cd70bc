"""Who is asked for plans of malleable jobs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from tailc_solvers.backends.adapters import Solver
from tailc_solvers.backends.linear import Limits
from tailc_solvers.green.parallel.check import faults_of
from tailc_solvers.green.parallel.columns import Columns, Effort, solve_columns
from tailc_solvers.green.parallel.problem import ParallelProblem
from tailc_solvers.green.parallel.schedules import Column

from tailc.pipeline.allocators.steps import columns_of


class Solve(Protocol):
    """Gives a plan of all jobs of a problem, or says why there is none."""

    def __call__(self, problem: ParallelProblem, warm: Sequence[Column]) -> Columns:
        """warm: schedules to begin with; some may be none of this problem."""
        ...


def by_columns(solver: Solver, effort: Effort | None = None, limits: Limits | None = None) -> Solve:
    """One schedule after another, priced by linear programs of `solver`."""

    def solve(problem: ParallelProblem, warm: Sequence[Column]) -> Columns:
        return solve_columns(problem, solver, effort=effort, limits=limits, warm=warm)

    return solve


def planned(problem: ParallelProblem, found: Columns) -> list[Column] | None:
    """The schedules of a plan that passes the exact checks; None where there is none."""
    best = found.solution.best
    if best is None or faults_of(problem, best.plan):
        return None
    return columns_of(best.plan.servers, best.plan.shape)
