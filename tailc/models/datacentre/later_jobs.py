"""How a spec decides about jobs that its plan does not include."""

from __future__ import annotations

from dataclasses import dataclass

from tailc.models.datacentre.window import SpeedupCurves


@dataclass(frozen=True)
class LaterJobs:
    """Rule of a spec for jobs that its plan does not include.

    method: name of the rule. curves: speed-ups of the jobs' applications.
    """

    method: str
    curves: SpeedupCurves
