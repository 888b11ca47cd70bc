"""What a baseline with a free parameter is chosen by: its tail, or its energy at the target."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tailc.models.subject import Subject


@dataclass(frozen=True)
class Tried:
    """A candidate replayed: its percentile, and what a request drew, free cores included.

    energy: in units of power times nanoseconds; None where rungs are no cores.
    """

    tail_us: int
    energy: float | None = None


@dataclass(frozen=True)
class Search:
    """How candidates are tried, and the SLO by which they are chosen, the policy's first."""

    tried: Callable[[Subject], Tried]
    percentile_ppm: int
    target_us: int

    def tail_us(self, subject: Subject) -> int:
        """The tail of a candidate."""
        return self.tried(subject).tail_us

    def least_energy(self, candidates: Iterable[Subject]) -> Subject:
        """The one that draws least of those that meet the target, else the one of the least tail.

        Of equally good ones the first.
        """
        found = [(self.tried(candidate), candidate) for candidate in candidates]
        meeting = [pair for pair in found if pair[0].tail_us <= self.target_us]
        if meeting:
            return min(meeting, key=lambda pair: pair[0].energy or 0.0)[1]
        return min(found, key=lambda pair: pair[0].tail_us)[1]
