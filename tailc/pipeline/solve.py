"""Solve a problem with the handler of its type.

A new type of problem has a module in `tailc.pipeline.handlers` and one in `tailc.report.solutions`.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tailc.pipeline.handlers.handler import ProblemHandler
from tailc.problems.problem import P, Problem, Solution
from tailc.progress import Progress, silent


def handler_of(problem: P) -> ProblemHandler[P, Any]:
    """The handler that a compile uses for problems of this type."""
    name = type(problem).__module__.rpartition(".")[2]
    return import_module(f"tailc.pipeline.handlers.{name}").HANDLER


def solve(problem: Problem, threads: int = 1, progress: Progress = silent) -> Solution:
    """Solve a problem of any type; the solution is evaluated in the whole numbers of an artifact.

    Raises TailcError for a target that cannot be met (INFEASIBLE), a search that ends without an
    answer (BUDGET_ENDED), and a method that cannot solve the problem (METHOD_UNFIT).
    """
    return handler_of(problem).solve(problem, threads, progress)
