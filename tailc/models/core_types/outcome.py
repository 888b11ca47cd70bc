"""What happened to requests that have a core of some type or clock to themselves."""

from __future__ import annotations

from dataclasses import dataclass

from tailc.models.outcome import PoweredOutcome, free_cores_power


@dataclass(frozen=True, eq=False)
class CoreTypesOutcome(PoweredOutcome):
    """On cores of one type or of several."""

    @property
    def saturation(self) -> float:
        """The utilization of all cores."""
        return self.utilization

    @property
    def mean_idle_power(self) -> float:
        """Of each free core as its type draws."""
        return free_cores_power(self)
