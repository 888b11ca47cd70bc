"""What an answer has, for tests that know that it has it."""

from __future__ import annotations

from tailc_solvers.backends.linear import Duals, SolverAnswer, SolverPoint


def point_of(answer: SolverAnswer) -> SolverPoint:
    assert answer.point is not None, answer
    return answer.point


def duals_of(answer: SolverAnswer) -> Duals:
    assert answer.duals is not None, answer
    return answer.duals
