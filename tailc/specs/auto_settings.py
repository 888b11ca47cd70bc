"""Settings of the method `auto` of a spec."""

from __future__ import annotations

from dataclasses import dataclass

METHOD = "auto"


@dataclass(frozen=True)
class AutoChoice:
    """Settings of the method `auto`, which chooses the best of several tables.

    effort: how much it simulates. risk_ppm: share of bootstrap replicates in which the chosen table
    may be worse than the best setting by hand.
    """

    effort: str
    risk_ppm: int


@dataclass(frozen=True)
class AutoTuning:
    """Settings of the method `auto`, where it tunes the best fixed setting by simulation."""

    effort: str
