"""Convergence trace of a search: its best value and bound by effort."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ConvergencePoint:
    """A point of a search's convergence trace: best value and bound after some effort.

    effort: number of evaluations or programs; it is counted, not timed, so that it is reproducible.
    bound: proved lower bound; incumbent: least value found; None: not yet known. stage: number from
    0; values of different stages are not comparable.
    """

    effort: int
    bound: float | None
    incumbent: float | None
    stage: int = 0

    def __post_init__(self) -> None:
        if self.effort < 0:
            raise ValueError("effort cannot be negative")

    @property
    def gap(self) -> float | None:
        """Gap of a search: best value found minus the proved bound; None if one is unknown."""
        if self.bound is None or self.incumbent is None:
            return None
        return self.incumbent - self.bound
