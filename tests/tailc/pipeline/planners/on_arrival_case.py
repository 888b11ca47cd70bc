"""Helpers of test_on_arrival.py that other tests use too."""

from tailc_solvers.backends.linear import SolverAnswer


class Rogue:
    """A solver that ends in one way, whatever is asked."""

    def __init__(self, answer: SolverAnswer) -> None:
        self._answer = answer

    def answer(self, program, limits=None):  # noqa: ARG002
        return self._answer
