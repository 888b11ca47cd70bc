"""What every problem and every solution tells, whatever its type.

A problem and its solution are a pair: what deals with both is generic in `P` and `S`.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Protocol, TypeVar

from tailc.forms.ladder.row_evidence import RowEvidence
from tailc.traces.profile import DemandProfile


class Problem(Protocol):
    """What a policy is the solution of."""

    @property
    def objective(self) -> enum.Enum:
        """What is minimised."""
        ...

    @property
    def method(self) -> enum.Enum:
        """How the solution is looked for."""
        ...


class RequestProblem(Problem, Protocol):
    """A problem of requests."""

    @property
    def profile(self) -> DemandProfile:
        """The requests."""
        ...


class SolvedLoad(Protocol):
    """What a solution tells of one load."""

    @property
    def evidence(self) -> RowEvidence | None:
        """None where there is nothing to predict."""
        ...


class Solution(Protocol):
    """The answer to a problem, and how it was found."""

    @property
    def rows(self) -> Sequence[SolvedLoad]:
        """By load; empty where a solution is not told by load."""
        ...

    @property
    def proof(self) -> str:
        """What proves it."""
        ...

    @property
    def solver(self) -> str:
        """What found it."""
        ...

    @property
    def evaluations(self) -> int:
        """How much work that took."""
        ...


P = TypeVar("P", bound=Problem)
S = TypeVar("S", bound=Solution)
R = TypeVar("R", bound=RequestProblem)
