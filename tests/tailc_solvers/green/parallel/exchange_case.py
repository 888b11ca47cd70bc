"""Helpers of test_exchange.py that other tests use too."""

from tailc_solvers.green.parallel.problem import ParallelProblem
from tailc_solvers.green.parallel.schedules import Column

from tests.reference import parallel_plain


def all_columns(problem: ParallelProblem) -> list[Column]:
    """Every schedule of every job."""
    found = []
    for j, job in enumerate(problem.jobs):
        for shape, row in parallel_plain.schedules(problem, job):
            runs = [t for t, n in enumerate(row) if n]
            servers = tuple(row[runs[0] : runs[-1] + 1])
            found.append(Column(j, shape, runs[0], servers))
    return found
