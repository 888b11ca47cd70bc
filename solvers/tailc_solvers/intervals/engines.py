"""Prepare a sample of requests for one of the two grid searches, which differ in speed only.

One is for requests that follow a few common speed-up curves, the other for requests that each have
their own. Preparing means to sort, to sum and to compute bounds.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from tailc_solvers.intervals.kernels import Incumbents, LoadRows
from tailc_solvers.intervals.kernels_curves import (
    Floors,
    LagrangianPrices,
    SortedCurves,
    new_state,
    search_curves,
)
from tailc_solvers.intervals.kernels_individual import (
    Crowd,
    new_buckets,
    new_path,
    search_individual,
)
from tailc_solvers.intervals.prices import ContinuousRows, no_prices
from tailc_solvers.ladder.rows import sorted_steps
from tailc_solvers.sample import WeightedSample

Items = NDArray[np.int64]
Share = tuple[int, int]

REQUESTS_PER_CURVE = 40
"""With fewer requests to a curve, one pass over the requests is cheaper than look-ups by curve."""

BINS_PER_REQUEST = 2
MOST_BINS = 1 << 16
"""Bins shorten the binary search in sorted demands; beyond this they leave the cache."""


class GridEngine(Protocol):
    """A method that searches parts of the grid of schedules; both methods have the same results.

    seeds: good initial schedules, in grid steps [schedules, rungs - 1]. batch_schedules: number of
    schedules in the part of one thread; large enough, although many of them are pruned. The
    arguments of the search are those of the kernels.
    """

    batch_schedules: ClassVar[int]

    @property
    def seeds(self) -> Items: ...

    def search(
        self, rows: LoadRows, best: Incumbents, items: Items, share: Share, stride: int, cap: int
    ) -> tuple[int, bool]: ...


@dataclass(frozen=True)
class CurvesEngine:
    """Grid search for requests that follow a few common speed-up curves: sample and bounds."""

    curves: SortedCurves
    bounds: tuple[Floors, LagrangianPrices]
    seeds: Items
    batch_schedules: ClassVar[int] = 400_000

    def search(
        self, rows: LoadRows, best: Incumbents, items: Items, share: Share, stride: int, cap: int
    ) -> tuple[int, bool]:
        state = new_state(self.curves, rows)
        return search_curves(
            self.curves, self.bounds, rows, best, state, items, (*share, stride), cap
        )


@dataclass(frozen=True)
class IndividualEngine:
    """Grid search for requests that each have their own speed-up curve: the sample, with bounds."""

    crowd: Crowd
    seeds: Items
    batch_schedules: ClassVar[int] = 60_000

    def search(
        self, rows: LoadRows, best: Incumbents, items: Items, share: Share, stride: int, cap: int
    ) -> tuple[int, bool]:
        path = new_path(self.crowd, rows.costs.size, rows.longest)
        buckets = new_buckets(rows.longest)
        return search_individual(
            self.crowd, rows, best, path, buckets, items, (*share, stride), cap
        )


def engine_for(sample: WeightedSample, rows: LoadRows, rank: int) -> GridEngine:
    """Choose the engine by the number of speed-up curves; both give the same result."""
    if sample.n_curves == 1 or sample.n_curves * REQUESTS_PER_CURVE <= sample.demand_ms.size:
        return curves_engine(sample, rows, rank)
    return individual_engine(sample, rows, rank)


def curves_engine(sample: WeightedSample, rows: LoadRows, rank: int) -> CurvesEngine:
    """Make the search engine for requests that follow a few common speed-up curves.

    It sorts the demands and computes prefix sums in O(R log R) for R requests.
    """
    by_demand = np.argsort(sample.demand_ms, kind="stable")
    curve = sample.curve[by_demand]
    order = by_demand[np.argsort(curve, kind="stable")] if sample.n_curves > 1 else by_demand
    demand = sample.demand_ms[order]
    weight = sample.weight[order]
    count = np.bincount(curve, minlength=sample.n_curves)
    used = np.flatnonzero(count)
    start = np.concatenate([[0], np.cumsum(count[used])])
    speeds = np.ascontiguousarray(sample.speeds[used])
    bin_first, bin_rate = _bins(demand, start)
    curves = SortedCurves(
        start=start,
        demand=demand,
        below=_prefix_sums(demand * weight, start),
        above=_suffix_weights(weight, start),
        upto=_prefix_sums(weight, start),
        bin_first=bin_first,
        bin_rate=bin_rate,
        longest=demand[start[1:] - 1],
        work=np.add.reduceat(demand * weight, start[:-1]),
        speeds=speeds,
        total=float(sample.total_weight),
        rank=rank,
        rank_demand=float(demand[np.searchsorted(np.cumsum(weight), rank)]),
        climbs=_climbs(speeds),
    )
    continuous = _continuous(sample, by_demand, rows, rank)
    prices = no_prices()
    if continuous is not None and used.size == 1:
        prices = continuous.prices(rows)
    return CurvesEngine(curves, (_floors(speeds, rows), prices), _seeds(continuous, rows))


def individual_engine(sample: WeightedSample, rows: LoadRows, rank: int) -> IndividualEngine:
    """Make the search engine for requests that each have their own speed-up curve.

    It computes bounds of each request over later rungs.
    """
    speeds = np.ascontiguousarray(sample.speeds[sample.curve].T)
    time = 1.0 / speeds
    crowd = Crowd(
        demand=sample.demand_ms,
        weight=sample.weight,
        speeds=speeds,
        least_time=_least_from(time, axis=0),
        most_time=-_least_from(-time, axis=0),
        least_cost=_least_from(rows.costs[:, None] * time, axis=0),
        total=float(sample.total_weight),
        rank=rank,
        climbs=_climbs(speeds.T),
    )
    by_demand = np.argsort(sample.demand_ms, kind="stable")
    return IndividualEngine(crowd, _seeds(_continuous(sample, by_demand, rows, rank), rows))


def _continuous(
    sample: WeightedSample, by_demand: NDArray[np.int64], rows: LoadRows, rank: int
) -> ContinuousRows | None:
    """Continuous optima with the mean curve; None if cost rates decrease with the rung."""
    if (np.diff(rows.costs) < 0).any():
        return None
    steps = sorted_steps(sample.demand_ms[by_demand], sample.weight[by_demand], rank)
    share = np.bincount(sample.curve, sample.weight, sample.n_curves) / sample.total_weight
    # Not a matrix product, whose order of summation would depend on the library.
    mean_speeds = (sample.speeds * share[:, None]).sum(axis=0)
    return ContinuousRows.solve(steps, mean_speeds, rows)


def _seeds(continuous: ContinuousRows | None, rows: LoadRows) -> Items:
    if continuous is None:
        return np.zeros((0, rows.costs.size - 1), dtype=np.int64)
    return continuous.grid_neighbours(rows)


def _climbs(speeds: NDArray[np.float64]) -> bool:
    return bool((speeds[:, -1] >= speeds[:, -2:][:, 0]).all())


def _floors(speeds: NDArray[np.float64], rows: LoadRows) -> Floors:
    wait = (rows.wait_per_cost[:, None, None] * rows.costs - 1.0) / speeds
    return Floors(
        time=_least_from(1.0 / speeds, axis=1),
        speed=1.0 / _least_from(1.0 / speeds, axis=1),
        cost=_least_from(rows.costs / speeds, axis=1),
        wait=_least_from(wait, axis=2),
    )


def _least_from(values: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
    """The least value at each place of `axis` or after it."""
    reverse = np.flip(values, axis)
    return np.ascontiguousarray(np.flip(np.minimum.accumulate(reverse, axis), axis))


def _prefix_sums(values: NDArray, start: NDArray[np.int64]) -> NDArray:
    """Sums of each curve's values before each entry, with one more entry than values."""
    parts = [
        np.concatenate([np.zeros(1, values.dtype), np.cumsum(values[first:end])])
        for first, end in pairwise(start)
    ]
    return np.concatenate(parts)


def _suffix_weights(weight: NDArray[np.int64], start: NDArray[np.int64]) -> NDArray[np.float64]:
    """Weight of each curve from each entry on."""
    parts = [
        np.concatenate([np.cumsum(weight[first:end][::-1])[::-1], np.zeros(1, np.int64)])
        for first, end in pairwise(start)
    ]
    return np.concatenate(parts).astype(np.float64)


def _bins(
    demand: NDArray[np.float64], start: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Number of demands of each curve in bins before each, and bins per ms."""
    largest = int(np.diff(start).max())
    n_bins = min(MOST_BINS, BINS_PER_REQUEST * largest)
    rate = n_bins / demand[start[1:] - 1]
    counts = []
    for k, (first, end) in enumerate(pairwise(start)):
        bins = (demand[first:end] * rate[k]).astype(np.int64)
        # The longest demand may be in bin n_bins, and look-ups read one bin further.
        counts.append(np.cumsum(np.bincount(bins + 1, minlength=n_bins + 2)))
    return np.array(counts, dtype=np.int64), rate
