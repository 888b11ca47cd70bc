"""What an answer has, for tests that know that it has it."""

from __future__ import annotations

from tailc_solvers.backends.linear import Answer, Duals, Point


def point_of(answer: Answer) -> Point:
    assert answer.point is not None, answer
    return answer.point


def duals_of(answer: Answer) -> Duals:
    assert answer.duals is not None, answer
    return answer.duals
