"""The requests that engines replay: work in whole nanoseconds, and speed on each rung."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tailc.forms.ladder.table import Ladder, Rule
from tailc.forms.ladder.units import degrees
from tailc.models.core_queues.clocks import Clocks
from tailc.models.core_queues.level_progress import LevelProgress, level_progress
from tailc.percentiles import PPM
from tailc.traces.profile import DemandProfile
from tailc.traces.serial import Serial

NS_PER_MS = 1_000_000


@dataclass(frozen=True, eq=False)
class Workload:
    """The requests that a replay samples from: work, weight and speeds of each trace record.

    Attributes:
        work_ns: work at speed 1, int64 (records,).
        weight: number of requests that each record represents, int64 (records,).
        curve_of: number of each record's speed-up curve, int32 (records,).
        speed: speed of each curve on each rung, float64 (curves, rungs).
        memory_ns: the part of the work that does not depend on the clock, int64 (records,); None:
            unknown.
        clocked: progress of records at each level of a clock; None if rungs are not levels of a
            clock.
        serial: the serial beginning and end of requests; None: they have none.
    """

    work_ns: NDArray[np.int64]
    weight: NDArray[np.int64]
    curve_of: NDArray[np.int32]
    speed: NDArray[np.float64]
    memory_ns: NDArray[np.int64] | None = None
    clocked: LevelProgress | None = None
    serial: Serial | None = None

    def __post_init__(self) -> None:
        assert len(self.work_ns) == len(self.weight) == len(self.curve_of) > 0
        assert self.speed.ndim == 2
        # Other types would compile the engine again.
        types = (self.work_ns.dtype, self.weight.dtype, self.curve_of.dtype, self.speed.dtype)
        assert types == (np.int64, np.int64, np.int32, np.float64), types
        assert (self.work_ns > 0).all()

    def select(self, chosen: NDArray[np.bool_] | NDArray[np.intp]) -> Workload:
        """The workload with only the chosen records, by bool (records,) or by number."""
        return replace(
            self,
            work_ns=self.work_ns[chosen],
            weight=self.weight[chosen],
            curve_of=self.curve_of[chosen],
            memory_ns=None if self.memory_ns is None else self.memory_ns[chosen],
            clocked=self.clocked and LevelProgress(*(each[chosen] for each in self.clocked)),
        )

    def reweight(self, weight: NDArray[np.int64]) -> Workload:
        """The workload with other weights, without the records whose weight is 0.

        weight: number of requests of each record, int64 (records,).
        """
        stay = weight > 0
        return replace(self.select(stay), weight=weight[stay])

    @property
    def requests(self) -> int:
        """Number of requests, which is the sum of the weights."""
        return int(self.last_request_of[-1])

    @cached_property
    def last_request_of(self) -> NDArray[np.int64]:
        """Running sum of the records' weights, in the order of the records.

        Entry i is the number of requests of records 0 to i.
        """
        return np.cumsum(self.weight)

    @cached_property
    def mean_work_ns(self) -> float:
        """Mean work of a request of the workload [ns]."""
        return float((self.work_ns * (self.weight / self.requests)).sum())

    def work_at(self, rank: int) -> int:
        """The `rank`-th smallest work of the requests, counted from 1 [ns]."""
        order, last_rank_of = self._by_work
        return int(self.work_ns[order[int(np.searchsorted(last_rank_of, rank))]])

    @cached_property
    def _by_work(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The records in order of work, and the rank of the last request of each."""
        order = np.argsort(self.work_ns, kind="stable")
        return order, np.cumsum(self.weight[order])


def workload(profile: DemandProfile, ladder: Ladder) -> Workload:
    """Convert a profile to a workload, with the speed of its requests on each rung of `ladder`.

    A rung that is a degree of parallelism has the speed of each request's own curve at that degree;
    the caller ensures that the profile has it. A rung that is a core has the speed of the curve's
    column with its number, if curves have as many columns as there are rungs. Any other rung has
    its own `speed_ppm` for every request. Work below 1 ns counts as 1 ns. Only requests on degrees
    of parallelism have serial parts.
    """
    return Workload(
        _work_ns(profile),
        profile.weight,
        profile.curve_of,
        _speed_table(profile, ladder),
        serial=None if degrees(ladder) is None else profile.serial,
    )


def clocked_workload(profile: DemandProfile, clocks: Clocks) -> Workload:
    """Convert a profile to a workload, with the progress of its requests at each frequency.

    The profile's times are at the reference clock. The clock alone sets the speed of compute, for
    all requests and whatever their curve. Raises TailcError for a request that is too long to time.
    """
    work_ns = _work_ns(profile)
    memory_ns = None
    if profile.memory_ms is not None:
        given_ns = np.rint(profile.memory_ms * NS_PER_MS).astype(np.int64)
        memory_ns = np.minimum(given_ns, work_ns)
    frequencies_khz = [level.frequency_khz for level in clocks.table.levels]
    return Workload(
        work_ns,
        profile.weight,
        profile.curve_of,
        np.ones((len(profile.curves), 1)),
        memory_ns,
        level_progress(work_ns, memory_ns, frequencies_khz, clocks.reference_khz),
    )


def _work_ns(profile: DemandProfile) -> NDArray[np.int64]:
    return np.maximum(np.rint(profile.demand_ms * NS_PER_MS), 1).astype(np.int64)


def has_own_speeds(profile: DemandProfile, ladder: Ladder) -> bool:
    """Whether requests have their own speeds on the cores that are the ladder's rungs."""
    on_cores = Rule.CORE_PER_REQUEST in ladder.rules
    return on_cores and profile.degrees == len(ladder.rungs) > 1


def _speed_table(profile: DemandProfile, ladder: Ladder) -> NDArray[np.float64]:
    """Speeds by curve and rung."""
    if has_own_speeds(profile, ladder):
        return np.ascontiguousarray(profile.curves, dtype=np.float64)
    at = degrees(ladder)
    if at is None:
        own = np.array([rung.speed_ppm / PPM for rung in ladder.rungs])
        return np.tile(own, (len(profile.curves), 1))
    assert profile.degrees >= max(at)
    columns = [degree - 1 for degree in at]
    return np.ascontiguousarray(profile.curves[:, columns], dtype=np.float64)
