"""A demand profile: the work of requests, and their speed-up by degree of parallelism."""

from __future__ import annotations

import enum
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tailc.percentiles import PPM
from tailc.traces.serial import Serial

# So that the digest of many requests with many degrees needs little memory.
HASHED_ROWS = 1 << 16

NS_PER_MS = 1_000_000


class Measure(enum.Enum):
    """How a demand was measured; a response time contains waiting and is not a demand.

    THROUGHPUT is not a demand but the work of a machine per second. RUN_TIME is the run time of a
    job of a datacentre on its servers. TOKENS are the lengths of prompts and outputs of a
    language model.
    """

    DEMAND_CPU = "demand-cpu"
    DEMAND_BUSY = "demand-busy"
    RESPONSE_OPEN = "response-open"
    RESPONSE_CLOSED = "response-closed"
    THROUGHPUT = "throughput"
    RUN_TIME = "run-time"
    TOKENS = "tokens"


@dataclass(frozen=True, eq=False)
class DemandProfile:
    """The demand of requests (or of bins of equal requests) in trace order, with speed-ups.

    demand_ms: float64 (requests,), work at the reference rung, finite and > 0. weight: int64
    (requests,), number of requests that each entry represents, >= 1. curves: float64 (curves,
    degrees), speed-up at degree 1, 2, ...; finite and > 0. curve_of: int32 (requests,), the curve
    of each request. curve_names: one name per curve, if curves are classes or named, else empty.
    memory_ms: float64 (requests,), the part of each demand that no clock shortens; None: unknown.
    is_of_points: whether only percentiles are known, so that requests of an entry took longer than
    the entry before and no longer than this one. repeats: int64 (requests,), number of equal rows
    of the trace that each entry was merged from; None: one. serial: the serial beginning and end of
    requests; None: they have none.
    """

    demand_ms: NDArray[np.float64]
    weight: NDArray[np.int64]
    curves: NDArray[np.float64]
    curve_of: NDArray[np.int32]
    curve_names: tuple[str, ...]
    measure: Measure
    reference: str
    memory_ms: NDArray[np.float64] | None = None
    is_of_points: bool = False
    repeats: NDArray[np.int64] | None = None
    serial: Serial | None = None

    def __post_init__(self) -> None:
        requests = len(self.demand_ms)
        assert requests > 0
        assert self.weight.shape == self.curve_of.shape == (requests,)
        assert np.isfinite(self.demand_ms).all()
        assert (self.demand_ms > 0).all()
        assert (self.weight >= 1).all()
        assert self.curves.ndim == 2
        assert np.isfinite(self.curves).all()
        assert (self.curves > 0).all()
        assert (self.curve_of >= 0).all()
        assert (self.curve_of < len(self.curves)).all()
        assert len(self.curve_names) in (0, len(self.curves))
        if self.memory_ms is not None:
            assert self.memory_ms.shape == (requests,)
            assert ((self.memory_ms >= 0) & (self.memory_ms <= self.demand_ms)).all()
        if self.repeats is not None:
            assert (self.weight % self.repeats == 0).all()

    @property
    def degrees(self) -> int:
        """Number of degrees (numbers of threads) that each speed-up curve covers."""
        return self.curves.shape[1]

    @property
    def has_common_curve(self) -> bool:
        """Whether all requests have the same speed-up curve."""
        return len(self.curves) == 1

    @cached_property
    def total_weight(self) -> int:
        """Number of requests that the profile represents."""
        return int(self.weight.sum())

    @property
    def rows(self) -> int:
        """Number of rows of the trace that the profile was made from."""
        return len(self.demand_ms) if self.repeats is None else int(self.repeats.sum())

    @property
    def weight_of_row(self) -> NDArray[np.int64]:
        """Number of requests in each row of the trace, int64 (requests,)."""
        return self.weight if self.repeats is None else self.weight // self.repeats

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the content, independent of the file format and of the order of rows.

        Demands enter as whole nanoseconds and speed-ups as millionths, so the format of numbers has
        no effect. Rows enter sorted by demand, weight and speed-ups, so their order and merging of
        equal rows have no effect. Memory times, if any, enter as nanoseconds.
        """
        hasher = hashlib.sha256(b"tailc demand profile 1\n")
        demand_ns = np.rint(self.demand_ms * NS_PER_MS).astype("<i8")
        speedup_ppm = np.rint(self.curves * PPM).astype("<i8")
        rank_of_curve = np.argsort(np.lexsort(speedup_ppm.T[::-1]))
        columns = [demand_ns, self.weight_of_row.astype("<i8")]
        if self.memory_ms is not None:
            columns.append(np.rint(self.memory_ms * NS_PER_MS).astype("<i8"))
        if self._differs_in_demand_alone:
            columns[0], order = np.sort(demand_ns), np.arange(len(demand_ns))
        else:
            order = np.lexsort((rank_of_curve[self.curve_of], *columns[:0:-1], demand_ns))
        for column in columns:
            for block in self.blocks(order, HASHED_ROWS):
                hasher.update(column[block].tobytes())
        for block in self.blocks(order, HASHED_ROWS):
            hasher.update(speedup_ppm[self.curve_of[block]].tobytes())
        return hasher.hexdigest()

    @property
    def _differs_in_demand_alone(self) -> bool:
        """Whether requests are as their rows, and have one weight, one curve and no memory time."""
        is_plain = self.memory_ms is None and self.repeats is None and self.has_common_curve
        return is_plain and bool((self.weight == self.weight[0]).all())

    def blocks(self, order: NDArray[np.intp], most: int) -> Iterator[NDArray[np.intp]]:
        """Yield request numbers in the order in which the digest reads them, in blocks.

        A request that was merged from several rows is repeated for each. most: largest size of a
        block.
        """
        if self.repeats is None:
            yield from (order[start : start + most] for start in range(0, len(order), most))
            return
        ends = np.cumsum(self.repeats[order])
        starts = ends - self.repeats[order]
        for start in range(0, int(ends[-1]), most):
            stop = min(start + most, int(ends[-1]))
            first, last = np.searchsorted(ends, (start, stop - 1), side="right")
            here = slice(first, last + 1)
            counts = np.minimum(ends[here], stop) - np.maximum(starts[here], start)
            yield np.repeat(order[here], counts)

    def select(self, chosen: NDArray[np.bool_]) -> DemandProfile:
        """Select the requests where `chosen` is true, and the curves that they follow."""
        curve_of = self.curve_of[chosen]
        is_kept = np.bincount(curve_of, minlength=len(self.curves)) > 0
        kept = np.flatnonzero(is_kept)
        return replace(
            self,
            demand_ms=self.demand_ms[chosen],
            weight=self.weight[chosen],
            curves=self.curves[kept],
            curve_of=(np.cumsum(is_kept) - 1).astype(np.int32)[curve_of],
            curve_names=tuple(self.curve_names[c] for c in kept) if self.curve_names else (),
            memory_ms=None if self.memory_ms is None else self.memory_ms[chosen],
            repeats=None if self.repeats is None else self.repeats[chosen],
        )

    def reweight(self, weight: NDArray[np.int64]) -> DemandProfile:
        """The profile with other weights, int64 (requests,), without requests of weight 0."""
        stay = weight > 0
        return replace(self.select(stay), weight=weight[stay], repeats=None)

    def first_degrees(self, most: int) -> DemandProfile:
        """Cut the speed-ups of all requests to degree `most`."""
        return replace(self, curves=self.curves[:, :most])

    def demand_at(self, rank: int) -> float:
        """The `rank`-th smallest demand [ms], counted from 1 and by weight."""
        order = np.argsort(self.demand_ms, kind="stable")
        reached = int(np.searchsorted(np.cumsum(self.weight[order]), rank))
        return float(self.demand_ms[order[reached]])

    def mean_curve(self) -> NDArray[np.float64]:
        """Mean speed-up at each degree: total work / total time of requests; float64 (degrees,)."""
        work = self.demand_ms * self.weight
        return work.sum() / (work[:, None] / self.curves[self.curve_of]).sum(axis=0)
