"""Held-out demand as the replay engine takes it: whole nanoseconds of work, speeds by rung."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tailc.traces.profile import DemandProfile

NS_PER_MS = 1_000_000


@dataclass(frozen=True, eq=False)
class Workload:
    """Records of a profile: work, how many requests each stands for, and its speed on each rung.

    work_ns: int64 (records,), at speed 1. weight: int64 (records,).
    curve_of: int32 (records,). speed: float64 (curves, rungs).
    """

    work_ns: NDArray[np.int64]
    weight: NDArray[np.int64]
    curve_of: NDArray[np.int32]
    speed: NDArray[np.float64]

    def __post_init__(self) -> None:
        assert len(self.work_ns) == len(self.weight) == len(self.curve_of) > 0
        assert self.speed.ndim == 2
        assert (self.work_ns > 0).all()

    @property
    def requests(self) -> int:
        """Number of requests that the records stand for."""
        return int(self.last_request_of[-1])

    @cached_property
    def last_request_of(self) -> NDArray[np.int64]:
        """Running sum of the weights."""
        return np.cumsum(self.weight)

    def work_at(self, rank: int) -> int:
        """The `rank`-th smallest work of the requests, counted from 1 [ns]."""
        order = np.argsort(self.work_ns, kind="stable")
        reached = int(np.searchsorted(np.cumsum(self.weight[order]), rank))
        return int(self.work_ns[order[reached]])


def workload(profile: DemandProfile, rungs: int) -> Workload:
    """The profile on a ladder whose rung number i is parallelism degree i + 1.

    The caller sees to it that the profile knows that many degrees. Work below 1 ns counts as 1 ns.
    """
    assert profile.degrees >= rungs
    work_ns = np.maximum(np.rint(profile.demand_ms * NS_PER_MS), 1).astype(np.int64)
    speed = np.ascontiguousarray(profile.curves[:, :rungs], dtype=np.float64)
    return Workload(work_ns, profile.weight, profile.curve_of.astype(np.int32), speed)
