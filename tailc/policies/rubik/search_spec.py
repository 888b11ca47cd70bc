"""How the entries of a rubik policy are found: by the formula, or on the replay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from pydantic import Field

from tailc.experiment.objective_checks import tuned_complaints
from tailc.specs.clocked import ClockedDemandSpec
from tailc.specs.fields import Complaint, OpenPercentPpm
from tailc.specs.simulation_fields import SIMULATION, TunedSearch, formula_complaints

_TARGET_PPM = 980_000


class SearchSpec(TunedSearch):
    """How entries are found."""

    method: Literal["paper", "simulation"] = Field(
        default="paper",
        description="`paper`: percentiles of the remaining work, independent of arrivals. "
        "`simulation`: lowest energy that meets the first SLO with queues; bound and "
        "entries are tuned on the replay at `rates`.",
    )
    target_ppm: OpenPercentPpm = Field(
        default=_TARGET_PPM,
        alias="target",
        description="Method `simulation`: limit of the percentile in the replays, as a share of "
        "the first SLO's latency.",
        json_schema_extra={"default": "98%"},
    )

    def complaints(
        self, rates_mrps: Sequence[int], demand: ClockedDemandSpec
    ) -> Iterator[Complaint]:
        """Weights and arrivals that do not fit, and what only simulation has."""
        if self.method == SIMULATION:
            return tuned_complaints(self, rates_mrps, demand)
        return formula_complaints(self, "target")
