"""How the ages of an elfen policy are found: as its policy says, or on the replay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from pydantic import Field

from tailc.specs.arrivals import (
    NOT_POISSON,
    Bursts,
    DayPpm,
    Recording,
    conflict_complaints,
    is_given,
    recorded_complaints,
)
from tailc.specs.common import DemandSpec
from tailc.specs.fields import Complaint, SpecModel
from tailc.specs.queue_fields import (
    QUEUE,
    TUNED,
    TunedRequests,
    Weights,
    others_complaints,
    weight_complaints,
)

_OF_QUEUE = ("requests", "weights", *NOT_POISSON)
_OBJECTIVE = ("search", "objective")


class SearchSpec(SpecModel):
    """How the ages are found."""

    objective: Literal["policy", "queue"] = Field(
        default="policy",
        description="Ages as the policy says, or most batch work under the first SLO with queues: "
        "ages by the number in the system, tuned on the replay at `rates`.",
    )
    requests: TunedRequests = TUNED
    weights: Weights = ()
    bursts: Bursts = None
    diurnal_ppm: DayPpm = None
    recorded: Recording = None

    def complaints(self, rates_mrps: Sequence[int], demand: DemandSpec) -> Iterator[Complaint]:
        """Weights and arrivals that do not fit, and what only the objective `queue` has."""
        if self.objective != QUEUE:
            given = [name for name in _OF_QUEUE if is_given(self, name)]
            yield from others_complaints(given, _OBJECTIVE)
            return
        yield from weight_complaints(self.weights, rates_mrps)
        yield from conflict_complaints(self)
        yield from recorded_complaints(self.recorded, demand)
        if self.bursts is not None:
            # The replay takes half a second to import, which most specs can do without.
            from tailc.replay.asked import burst_complaints

            yield from burst_complaints(self.bursts, rates_mrps)
