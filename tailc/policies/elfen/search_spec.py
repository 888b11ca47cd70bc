"""How the ages of an elfen policy are found: as its policy says, or on the replay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from pydantic import Field

from tailc.specs.fields import Complaint, SpecModel
from tailc.specs.queue_fields import (
    QUEUE,
    TUNED,
    TunedRequests,
    Weight,
    others_complaints,
    weight_complaints,
)

_OF_QUEUE = ("requests", "weights")
_OBJECTIVE = ("search", "objective")


class SearchSpec(SpecModel):
    """How the ages are found."""

    objective: Literal["policy", "queue"] = Field(
        default="policy",
        description="Ages as the policy says, or most batch work under the first SLO with queues: "
        "ages by the number in the system, tuned on the replay at `rates`.",
    )
    requests: TunedRequests = Field(
        default=TUNED,
        description="Budget of the objective `queue`: requests that its search simulates.",
    )
    weights: tuple[Weight, ...] = Field(
        default=(),
        description="Of the objective `queue`: how much each of `rates` counts; all alike, if "
        "absent.",
        examples=[[1, 3]],
    )

    def complaints(self, rates_mrps: Sequence[int]) -> Iterator[Complaint]:
        """Weights that do not fit the rates, and what only the objective `queue` has."""
        if self.objective == QUEUE:
            yield from weight_complaints(self.weights, rates_mrps)
            return
        given = [name for name in _OF_QUEUE if name in self.model_fields_set]
        yield from others_complaints(given, _OBJECTIVE)
