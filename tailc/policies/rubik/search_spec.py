"""Spec keys for the search of a rubik table: by the formula, or by simulation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from pydantic import Field

from tailc.experiment.objective_checks import tuned_complaints
from tailc.specs.clocked_demand import ClockedDemandSpec
from tailc.specs.fields import Complaint, OpenPercentPpm
from tailc.specs.simulation_fields import (
    AUTO,
    PAPER,
    AutoSearch,
    formula_complaints,
    not_of_auto,
    not_of_others,
)

_TARGET_PPM = 980_000


class SearchSpec(AutoSearch):
    """The search for the entries of a rubik table."""

    method: Literal["auto", "paper", "simulation"] | None = Field(
        default=None,
        description="`paper`: percentiles of the remaining work, independent of arrivals (default "
        "without `rates`). `simulation`: lowest energy that meets the first SLO with queues; bound "
        "and entries are tuned on the replay at `rates`. `auto`: the best of these, with and "
        "without the feedback, and of each fixed frequency, or pair of frequencies with `batch` "
        "(default with `rates`).",
    )
    target_ppm: OpenPercentPpm = Field(
        default=_TARGET_PPM,
        alias="target",
        description="Methods `simulation` and `auto`: limit of the percentile in the replays of "
        "a search, as a share of the first SLO's latency.",
        json_schema_extra={"default": "98%"},
    )

    def complaints(
        self, method: str, rates_mrps: Sequence[int], demand: ClockedDemandSpec
    ) -> Iterator[Complaint]:
        """Report faulty weights and arrivals, and keys that the method does not use."""
        if method != AUTO:
            yield from not_of_others(self)
        if method == PAPER:
            yield from formula_complaints(self, "target")
            return
        if method == AUTO:
            yield from not_of_auto(self)
        yield from tuned_complaints(self, rates_mrps, demand)
