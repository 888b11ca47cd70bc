"""Explain a search that found no plan, and how to get one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from tailc_solvers.backends.adapters import Backend
from tailc_solvers.backends.check import AnswerTrust
from tailc_solvers.backends.linear import SolverOutcome
from tailc_solvers.green.parallel.solution import Ending, ParallelSolution

from tailc.errors import Code, Finding, TailcError
from tailc.pipeline.plan_solvers import solver_error
from tailc.problems.malleable_jobs import ClusterProblem, NamedMalleable
from tailc.units import plural

_HAS_FAILED = (
    SolverOutcome.TIMED_OUT,
    SolverOutcome.OUT_OF_MEMORY,
    SolverOutcome.LIMIT,
    SolverOutcome.CRASHED,
    SolverOutcome.GARBLED,
    SolverOutcome.REFUSED,
    SolverOutcome.TOO_LARGE,
    SolverOutcome.NOT_INSTALLED,
)

Solve = Callable[[Sequence[NamedMalleable]], ParallelSolution]


def check_solver(solver: Backend, solution: ParallelSolution) -> None:
    """Raise TailcError if a solver failed or gave a wrong answer.

    A plan found before the failure is not used, since another machine could find another one.
    """
    if solution.outcome is None or solution.ending is Ending.NONE_EXISTS:
        return
    if solution.ending is Ending.REFUSED:
        raise solver_error(solver, solution.outcome, AnswerTrust.REFUTED, solution.message)
    if solution.outcome in _HAS_FAILED:
        raise solver_error(solver, solution.outcome, AnswerTrust.CLAIMED, solution.message)


def no_plan_error(problem: ClusterProblem, solution: ParallelSolution, solve: Solve) -> TailcError:
    """Make the error for a search that found no plan.

    `solve` repeats the search for some of the jobs, to find those that do not fit.
    """
    match solution.ending:
        case Ending.NONE_EXISTS:
            return TailcError(_infeasible(problem, solve))
        case Ending.CLAIMED_NONE:
            message = (
                f"the solver `{problem.search.solver}` reports that no plan meets the slowdown "
                "limits of all jobs"
            )
            hint = "set `method: columns`, which proves it; or raise `slowdown` or `deferral`"
            return TailcError(Finding(Code.INFEASIBLE, message, help=hint, about=("cluster",)))
        case _:
            text = f"the search ended without a plan: {solution.message or 'no reason was given'}"
            hint = "raise `search.nodes`, `slowdown` or `deferral`"
            return TailcError(Finding(Code.BUDGET_ENDED, text, help=hint, about=("search",)))


def _infeasible(problem: ClusterProblem, solve: Solve) -> Finding:
    """Name the first job, in order of submission, that does not fit with the jobs before it."""
    jobs = sorted(problem.jobs, key=lambda job: job.submit_s)
    fits, fails = 0, len(jobs)
    while fails - fits > 1:
        tried = (fits + fails) // 2
        proved = solve(jobs[:tried]).ending is Ending.NONE_EXISTS
        fits, fails = (fits, tried) if proved else (tried, fails)
    last = jobs[fails - 1]
    before = {1: "", 2: " together with the job before it"}
    others = before.get(fails, f" together with the {fails - 1} jobs before it")
    message = (
        f"`{last.name}` cannot end within its slowdown on {plural(problem.servers, 'server')}"
        f"{others}; with the servers that they request, the jobs need up to {_peak(problem)}"
    )
    hint = "add servers up to this number, or raise `slowdown` or `deferral`"
    return Finding(Code.INFEASIBLE, message, help=hint, about=("cluster", "servers"))


def _peak(problem: ClusterProblem) -> int:
    """The most servers in use at once if each job runs on arrival with the servers it requests."""
    starts = [-(-job.submit_s // problem.epoch_s) for job in problem.jobs]
    ends = [
        start - (-job.asked_s // problem.epoch_s)
        for start, job in zip(starts, problem.jobs, strict=True)
    ]
    used = np.zeros(max(ends), np.int64)
    for start, end, job in zip(starts, ends, problem.jobs, strict=True):
        used[start:end] += job.requested
    return int(used.max())
