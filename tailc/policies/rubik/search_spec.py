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
        description="Percentiles of what is left, whatever arrives; or least energy under the "
        "first SLO with queues: bound and entries tuned on the replay at `rates`.",
    )
    target_ppm: OpenPercentPpm = Field(
        default=_TARGET_PPM,
        alias="target",
        description="Of the method `simulation`: the share of the first SLO's latency that the "
        "replays keep the percentile within.",
        json_schema_extra={"default": "98%"},
    )

    def complaints(
        self, rates_mrps: Sequence[int], demand: ClockedDemandSpec
    ) -> Iterator[Complaint]:
        """Weights and arrivals that do not fit, and what only simulation has."""
        if self.method == SIMULATION:
            return tuned_complaints(self, rates_mrps, demand)
        return formula_complaints(self, "target")
