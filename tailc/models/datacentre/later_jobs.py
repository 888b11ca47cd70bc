"""How a spec decides about jobs that its plan does not include."""

from __future__ import annotations

from dataclasses import dataclass

from tailc.models.datacentre.window import SpeedupCurves


@dataclass(frozen=True)
class LaterJobs:
    """The method of a spec, which names the rule for later jobs, and the speed-ups of jobs."""

    method: str
    curves: SpeedupCurves
