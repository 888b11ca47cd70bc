"""How the ages of an elfen policy are found: as its policy says, or on the replay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from pydantic import Field

from tailc.experiment.objective_checks import tuned_complaints
from tailc.specs.common import DemandSpec
from tailc.specs.fields import Complaint
from tailc.specs.simulation_fields import SIMULATION, TunedSearch, formula_complaints


class SearchSpec(TunedSearch):
    """How the ages are found."""

    method: Literal["paper", "simulation"] = Field(
        default="paper",
        description="Ages as the policy says, or most batch work under the first SLO with queues: "
        "ages by the number in the system, tuned on the replay at `rates`.",
    )

    def complaints(self, rates_mrps: Sequence[int], demand: DemandSpec) -> Iterator[Complaint]:
        """Weights and arrivals that do not fit, and what only simulation has."""
        if self.method == SIMULATION:
            return tuned_complaints(self, rates_mrps, demand)
        return formula_complaints(self)
