"""Settings of the method `auto` of a spec."""

from __future__ import annotations

from dataclasses import dataclass

METHOD = "auto"


@dataclass(frozen=True)
class AutoChoice:
    """Settings of the method `auto` that chooses among tables.

    effort: how much it simulates. risk_ppm: share of bootstrap replicates in which the chosen table
    may be worse than the best setting by hand.
    """

    effort: str
    risk_ppm: int


@dataclass(frozen=True)
class AutoTuning:
    """Settings of the method `auto` that tunes the best setting by hand by simulation."""

    effort: str
