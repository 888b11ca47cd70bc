"""Common part of the execution models whose requests climb ladders."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.errors import Code, Finding, TailcError
from tailc.forms.ladder.table import Ladder, LoadAxis
from tailc.forms.ladder.units import shared_unit
from tailc.models.execution_model import ExecutionModel, OutcomeT, TimesT
from tailc.models.occupancy import Counts, Occupancy, occupancy, occupancy_counts
from tailc.models.outcome import NS_PER_US
from tailc.models.pools import NEVER_NS, pools
from tailc.models.streams import MRPS_PER_MS
from tailc.models.workload import NS_PER_MS, Workload, workload
from tailc.traces.profile import DemandProfile

# Subjects whose arrays are kept: those that the workers of a search replay at one time.
SUBJECTS_AT_ONCE = 16


@dataclass(frozen=True, eq=False)
class LadderModel(ExecutionModel[OutcomeT, TimesT]):
    """The execution model of a policy's ladders on one server; base of several models.

    All ladders have the same rungs, cost units and rules. ladder_of: number of the ladder that each
    trace record climbs, int32 (records,); None: all climb the first.
    """

    ladders: tuple[Ladder, ...]
    ladder_of: NDArray[np.int32] | None = None

    def __post_init__(self) -> None:
        assert self.ladders
        assert self.ladder_of is None or int(self.ladder_of.max()) < len(self.ladders)

    @property
    def ladder(self) -> Ladder:
        """The policy's first ladder; all its ladders have the same rungs, cost units and rules."""
        return self.ladders[0]

    @property
    @abstractmethod
    def table(self) -> Ladder | None:
        """The ladder that describes this policy completely; None if there are several ladders."""

    @property
    def capacity_ppm(self) -> int | None:
        """Capacity of the ladder's largest limited cost unit [1e-6]; None if none is limited."""
        units = [unit for ladder in self.ladders for unit in ladder.cost_units]
        return max((u.capacity_ppm for u in units if u.capacity_ppm is not None), default=None)

    @property
    def shared_resource(self) -> str:
        """Name of the shared resource in reports: threads or power."""
        return shared_unit(self.ladder)

    def workload(self, profile: DemandProfile) -> Workload:
        """Convert the profile to the work of its requests and their speeds on the rungs."""
        return workload(profile, self.ladder)

    def rate_read(self, rate_mrps: int) -> int:
        """Arrival rate at which the ladders' tables are read [1/1000 s].

        0 if none depends on it.
        """
        is_by_rate = any(one.load_axis is LoadAxis.RATE for one in self.ladders)
        return rate_mrps if is_by_rate else 0

    def filling_mrps(self, workload: Workload, cut_off_us: int | None) -> int:
        """Arrival rate at which requests on the most efficient rungs fill the server [1/1000 s]."""
        shared = pools(self.ladder)
        if shared.capacity_ppm[shared.pool_of[0]] >= NEVER_NS or shared.cost_ppm[0] <= 0:
            raise _no_capacity(self.name)
        filling: dict[int, float] = {}
        for rung, pool in enumerate(shared.pool_of.tolist()):
            if shared.capacity_ppm[pool] < NEVER_NS and shared.cost_ppm[rung] > 0:
                at_once = shared.capacity_ppm[pool] / shared.cost_ppm[rung]
                per_ms = at_once / _mean_ms(workload, rung, cut_off_us)
                filling[pool] = max(filling.get(pool, 0.0), per_ms)
        return max(round(sum(filling.values()) * MRPS_PER_MS), 1)

    def ladder_of_each(self, order: NDArray[np.integer]) -> NDArray[np.int32]:
        """The number of the ladder that each arrival climbs."""
        if self.ladder_of is None:
            return np.zeros(len(order), np.int32)
        return self.ladder_of[order]

    def occupancy_counts(
        self, outcome: OutcomeT, order: NDArray[np.int32]
    ) -> tuple[Counts | None, ...]:
        of_each = self.ladder_of_each(order)
        return tuple(
            occupancy_counts(ladder, outcome, of_each == number)
            for number, ladder in enumerate(self.ladders)
        )

    def occupancy(
        self, repeats: Iterable[tuple[Counts | None, ...]]
    ) -> tuple[Occupancy | None, ...]:
        by_ladder = zip(self.ladders, zip(*repeats, strict=True), strict=True)
        return tuple(occupancy(ladder, counts) for ladder, counts in by_ladder)


def _no_capacity(name: str) -> TailcError:
    message = f"policy `{name}` does not state the capacity that its first rung uses"
    return TailcError(Finding(Code.METHOD_UNFIT, message, help="state `server.cores`"))


def _mean_ms(workload: Workload, rung: int, cut_off_us: int | None) -> float:
    """Mean run time of a request on that rung alone [ms]."""
    ran_ns = workload.work_ns / workload.speed[workload.curve_of, rung]
    if cut_off_us is not None:
        ran_ns = np.minimum(ran_ns, cut_off_us * NS_PER_US)
    return float(np.average(ran_ns, weights=workload.weight)) / NS_PER_MS


def ladders_of_arrivals(
    order: NDArray[np.integer], ladders: int, ladder_of: NDArray[np.int32] | None
) -> NDArray[np.int32]:
    """Number of the ladder that each arrival uses; int32 (arrivals,).

    Empty if there is only one ladder. order: trace record of each arrival. ladder_of: ladder of
    each record.
    """
    if ladders == 1:
        return np.empty(0, np.int32)
    if ladder_of is None:
        return np.zeros(len(order), np.int32)
    # Compiled code does not check indices, so this one must be right.
    assert 0 <= int(ladder_of.min()) <= int(ladder_of.max()) < ladders
    return ladder_of[order]
