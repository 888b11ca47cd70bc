"""Power by source over time, from the energy ledger of a plan or of a replay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tailc.forms.plan.ledger import LedgerEntry
from tailc.forms.plan.plan import Plan
from tailc.forms.plan.plan_books import plan_books

if TYPE_CHECKING:
    from tailc.models.datacentre.course import Course

Floats = NDArray[np.float64]
# 1 kW in mW; 1 kWh is an hour of 1 kW.
MW_PER_KW = 1_000_000


@dataclass(frozen=True)
class PowerSeries:
    """Energy of a datacentre in consecutive intervals, and the events of jobs, for a picture.

    edges_s: start of each interval and end of the last [s since start_unix_s]. entries: energy
    flows of each interval. is_expected: whether a plan expects these, or they happened.
    forecast_mw: forecast green power by interval. begun, refused: number of jobs by moment [s since
    start_unix_s]. stored_mj: charge of a battery at each edge; None: no battery, or unknown.
    """

    start_unix_s: int
    edges_s: tuple[int, ...]
    entries: tuple[LedgerEntry, ...]
    is_expected: bool
    forecast_mw: tuple[int, ...] | None
    begun: Mapping[int, int]
    refused: Mapping[int, int]
    stored_mj: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        if not self.entries or len(self.edges_s) != len(self.entries) + 1:
            raise ValueError(
                "`entries` must not be empty, and `edges_s` must have one more than it"
            )
        if self.edges_s[0] != 0 or any(b <= a for a, b in self._pairs()):
            raise ValueError("`edges_s` must begin at 0 and increase")
        if self.forecast_mw is not None and len(self.forecast_mw) != len(self.entries):
            raise ValueError("`forecast_mw` must have a power for each interval")
        if self.stored_mj is not None and len(self.stored_mj) != len(self.edges_s):
            raise ValueError("`stored_mj` must have a value for each of `edges_s`")

    @property
    def length_s(self) -> int:
        """Time from the start of the first interval to the end of the last [s]."""
        return self.edges_s[-1]

    def kw(self, energy_mj: Sequence[int]) -> Floats:
        """Convert energy per interval to mean power; float64 (intervals,) [kW]."""
        pairs = zip(energy_mj, self._pairs(), strict=True)
        return np.array([mj / ((end_s - first_s) * MW_PER_KW) for mj, (first_s, end_s) in pairs])

    def _pairs(self) -> list[tuple[int, int]]:
        return list(zip(self.edges_s[:-1], self.edges_s[1:], strict=True))


def power_from_plan(plan: Plan) -> PowerSeries:
    """Build the power over time that a plan expects."""
    firsts = [job.spans[0].first_epoch * plan.epoch_s for job in plan.jobs]
    entries, stored_mj = plan_books(plan).entries, None
    if plan.battery is not None:
        stored_mj = tuple(
            accumulate((one.stored_mj for one in entries), initial=plan.battery.first_mj)
        )
    return PowerSeries(
        plan.start_unix_s,
        _even_edges_s(len(plan.epochs), plan.epoch_s),
        entries,
        is_expected=True,
        forecast_mw=None,
        begun=_count_moments(firsts),
        refused={},
        stored_mj=stored_mj,
    )


def power_from_replay(start_unix_s: int, course: Course) -> PowerSeries:
    """Build the power over time of a replay, with the green power forecast if it is known."""
    return PowerSeries(
        start_unix_s,
        course.edges_s,
        course.entries,
        is_expected=False,
        forecast_mw=course.forecast_mw,
        begun=_count_moments(course.begun_s),
        refused=_count_moments(course.refused_s),
    )


def _even_edges_s(epochs: int, epoch_s: int) -> tuple[int, ...]:
    return tuple(epoch * epoch_s for epoch in range(epochs + 1))


def _count_moments(moments_s: Sequence[int]) -> dict[int, int]:
    """Count equal moments, in order of time."""
    times, counts = np.unique(np.array(moments_s, np.int64), return_counts=True)
    return dict(zip(times.tolist(), counts.tolist(), strict=True))
