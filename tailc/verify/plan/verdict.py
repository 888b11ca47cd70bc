"""What the judge says of a plan: money, energy and broken promises, with intervals over windows."""

from __future__ import annotations

from dataclasses import dataclass

from tailc.verify.verdict import Ruling


@dataclass(frozen=True)
class MeanOf:
    """A mean over windows, and its 95 % interval; None with too few windows."""

    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Figures:
    """What one policy did, as means over windows.

    profit_dollars, brown_kwh, green_kwh, spilled_kwh, co2_kg: of a window. admitted: share of the
    jobs. violations: share of the admitted jobs whose promise was broken.
    """

    name: str
    profit_dollars: MeanOf
    brown_kwh: MeanOf
    green_kwh: MeanOf
    spilled_kwh: MeanOf
    co2_kg: MeanOf
    admitted: MeanOf
    violations: MeanOf


@dataclass(frozen=True)
class PlanVerdict:
    """The plan's prices at work beside the baselines, on the same windows.

    gains: of each baseline, by how much the plan's profit is higher [dollars a window].
    """

    windows: int
    jobs: int
    promised: float
    ruling: Ruling
    policy: Figures
    baselines: tuple[Figures, ...]
    gains: tuple[MeanOf, ...]
