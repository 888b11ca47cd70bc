"""Protocols that all problems and their solutions implement.

A problem and its solution belong together: code that handles both is generic in `P` and `S`.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Protocol, TypeVar

from tailc.forms.ladder.row_evidence import RowEvidence
from tailc.traces.profile import DemandProfile


class Problem(Protocol):
    """A problem that a compile solves; its solution becomes a policy."""

    @property
    def objective(self) -> enum.Enum:
        """The quantity that a solution of this problem minimises or maximises."""
        ...

    @property
    def method(self) -> enum.Enum:
        """Method by which the solution of this problem is found."""
        ...


class RequestProblem(Problem, Protocol):
    """A problem whose solution becomes a policy that serves requests."""

    @property
    def profile(self) -> DemandProfile:
        """The demands of the requests that the policy will serve."""
        ...


class SolvedLoad(Protocol):
    """Interface: the part of a solution for one load (number of requests in the system)."""

    @property
    def evidence(self) -> RowEvidence | None:
        """The evidence of the row for this load; None if nothing is predicted."""
        ...


class Solution(Protocol):
    """The solution of a problem, with how it was computed."""

    @property
    def rows(self) -> Sequence[SolvedLoad]:
        """The solution by load; empty if it does not depend on load."""
        ...

    @property
    def proof(self) -> str:
        """Name of what proves the solution, such as a dual bound or exhaustive search."""
        ...

    @property
    def solver(self) -> str:
        """Name and version of the solver that found the solution."""
        ...

    @property
    def evaluations(self) -> int:
        """Number of candidates that the solver evaluated."""
        ...


P = TypeVar("P", bound=Problem)
S = TypeVar("S", bound=Solution)
R = TypeVar("R", bound=RequestProblem)
