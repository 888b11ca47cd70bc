"""How a spec decides about jobs that its plan does not include."""

from __future__ import annotations

from dataclasses import dataclass

from tailc.models.datacentre.window import SpeedupCurves


@dataclass(frozen=True)
class LaterJobs:
    """How a spec decides about jobs that its plan does not include: a method, and speed-ups.

    The method names the rule.
    """

    method: str
    curves: SpeedupCurves
