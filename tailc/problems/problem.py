"""Protocols of problems and solutions of every type.

A problem and its solution belong together: code that handles both is generic in `P` and `S`.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Protocol, TypeVar

from tailc.forms.ladder.row_evidence import RowEvidence
from tailc.traces.profile import DemandProfile


class Problem(Protocol):
    """A problem whose solution becomes a policy."""

    @property
    def objective(self) -> enum.Enum:
        """What is minimised."""
        ...

    @property
    def method(self) -> enum.Enum:
        """How the solution is found."""
        ...


class RequestProblem(Problem, Protocol):
    """A problem about requests."""

    @property
    def profile(self) -> DemandProfile:
        """The requests."""
        ...


class SolvedLoad(Protocol):
    """The part of a solution for one load."""

    @property
    def evidence(self) -> RowEvidence | None:
        """The evidence of the load; None if nothing is predicted."""
        ...


class Solution(Protocol):
    """The answer to a problem, and how it was found."""

    @property
    def rows(self) -> Sequence[SolvedLoad]:
        """The solution by load; empty if it does not depend on load."""
        ...

    @property
    def proof(self) -> str:
        """Name of the proof."""
        ...

    @property
    def solver(self) -> str:
        """Name of the solver."""
        ...

    @property
    def evaluations(self) -> int:
        """Number of evaluations."""
        ...


P = TypeVar("P", bound=Problem)
S = TypeVar("S", bound=Solution)
R = TypeVar("R", bound=RequestProblem)
