"""How far a search had come after so much effort: what it had found, and what it had proved."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Milestone:
    """After `effort`, which is counted and never timed: the same search has the same milestones.

    bound: nothing is below it; incumbent: the least that was found. None: not yet. stage: values of
    different stages are not measured by the same, from 0.
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
        """What is between them; None where one is not there yet."""
        if self.bound is None or self.incumbent is None:
            return None
        return self.incumbent - self.bound
