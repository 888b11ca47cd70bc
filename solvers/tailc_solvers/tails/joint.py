"""Tail tables for requests with compute cycles C and memory time M that may depend on each other.

At frequency f a request takes S_f = C / f + M. Kasture et al. (MICRO 2015; Bartolini, 2015, eq.
3.2) add a quantile of C to one of M. The quantile of a sum may be above the sum of the quantiles:
with C and M independent and each 0 with probability 0.96, both have a p95 of 0, but C + M has not.

Here the quantile q(f) of the remaining time at each frequency of a grid comes from the joint
sample, and the entries c and m are a line in 1 / f above all these quantiles:

    minimise   sum_f  sum_rows  c_row / f + m - q_row(f)
    s.t.       c_row / f + m >= q_row(f)    for each row and each f of the grid,    c, m >= 0,

position by position, m the same for all rows. For a given m the best c_row is the largest f
(q_row(f) - m), so every row is tight at some f, and the sum is convex and piecewise linear in m:
its minimum is where two frequencies of some row are tight, or at an end. Where entries would fall
with position they are raised, and a row is then no longer tight.

Rows are by elapsed cycles w alone: a request that has had w has C >= w, and may have all its memory
time before it. Requests are put in groups by C, of 1 / GROUPS of them at most unless all have the
same C. For w from the smallest C of a group to that of the next,

    P[left > t | C >= w] <= P[left from the smallest C > t, C in the group or above] / P[C above],

and where a group has one value of C, the case C >= w of its own and that of the next are exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tailc_solvers.tails.histogram import WorkHistogram, checked_sample, histogram
from tailc_solvers.tails.kernels import OwnLawCases, conditional_rows
from tailc_solvers.tails.tables import CLOSE, check_shape, law_of, normal_deviations

GROUPS = 64


@dataclass(frozen=True, eq=False)
class JointTables:
    """A tail table for compute cycles and memory time: entries c and m for each queue position.

    c / f + m bounds the quantile of the remaining time at every frequency f.

    Attributes:
        frequency: the grid, cycles per unit of time, ascending [F].
        elapsed: cycles of the running request from which each row holds, ascending from 0 [rows].
        cycles: c, by row and position, not decreasing with position [rows, positions].
        memory: m, by position, not decreasing [positions].
        left: q, the bounded quantiles, in units of time [F, rows, positions].
        unknown_from: elapsed cycles that no request of the sample exceeds.
    """

    frequency: NDArray[np.float64]
    elapsed: NDArray[np.float64]
    cycles: NDArray[np.float64]
    memory: NDArray[np.float64]
    left: NDArray[np.float64]
    unknown_from: float

    @property
    def excess(self) -> NDArray[np.float64]:
        """Excess of the bound c / f + m over the quantile q that it bounds [F, rows, positions].

        In units of time.
        """
        return self.cycles / self.frequency[:, None, None] + self.memory - self.left


class _GroupedSample(NamedTuple):
    """Requests with the group of each, groups ascending in C; `smallest` C of each group."""

    cycles: NDArray[np.float64]
    memory: NDArray[np.float64]
    counts: NDArray[np.int64]
    group: NDArray[np.int64]
    smallest: NDArray[np.float64]


class _GroupCase(NamedTuple):
    """The running request has had `elapsed` cycles and is of group `least` or above.

    Its tail is divided by the probability of group `surely` or above.
    """

    elapsed: float
    least: int
    surely: int


def joint_tables(
    cycles: ArrayLike,
    memory: ArrayLike,
    weight: ArrayLike | None = None,
    *,
    frequency: ArrayLike,
    quantile: float,
    buckets: int = 128,
    rows: int = 8,
    positions: int = 16,
    most_positions: int = 64,
    deviations: float | None = None,
) -> JointTables:
    """Compute the entries from each request's `cycles` and `memory` time [R], for a grid.

    The other arguments are those of tail_tables. Raises ValueError for an invalid sample or grid.
    """
    sample = _group(*checked_sample(cycles, weight), checked_sample(memory, weight)[0])
    grid = _checked_grid(frequency)
    check_shape(quantile, rows, positions, most_positions)
    z = normal_deviations(quantile) if deviations is None else deviations
    begins, cases, first = _cases(sample, rows)
    left = np.empty((grid.size, begins.size, most_positions))
    for at, f in enumerate(grid):
        time = sample.cycles / f + sample.memory
        counted = histogram(time, sample.counts, buckets)
        known = _kernel_cases(sample, cases, counted, time, 1 - quantile + CLOSE, first)
        known = known._replace(elapsed=known.elapsed / f)
        left[at, :, positions:] = _gaussian(counted, known, z, np.arange(positions, most_positions))
        left[at, :, :positions] = _convolve(counted, known, np.empty((begins.size, positions)))
    left = np.maximum.accumulate(left, axis=2)
    return JointTables(grid, begins, *_lines(left, grid), left, float(sample.cycles.max()))


def _checked_grid(frequency: ArrayLike) -> NDArray[np.float64]:
    grid = np.array(frequency, dtype=np.float64)
    if grid.ndim != 1 or grid.size == 0:
        raise ValueError("frequencies must not be empty")
    if not (np.isfinite(grid).all() and grid[0] > 0 and (np.diff(grid) > 0).all()):
        raise ValueError("frequencies must be positive and ascend")
    return grid


def _group(
    cycles: NDArray[np.float64], counts: NDArray[np.int64], memory: NDArray[np.float64]
) -> _GroupedSample:
    """Group requests by C: the same 1 / GROUPS of all, or the same C."""
    if cycles.shape != memory.shape:
        raise ValueError("memory must be as long as cycles")
    value, of = np.unique(cycles, return_inverse=True)
    weight = np.bincount(of, weights=counts).astype(np.int64)
    upto = np.cumsum(weight)
    # A value on a boundary has another slot before it than after it, and so its own group.
    slots = np.stack([GROUPS * (upto - weight) // upto[-1], GROUPS * upto // upto[-1]], axis=1)
    is_new = np.append(True, (np.diff(slots, axis=0) != 0).any(axis=1))
    return _GroupedSample(cycles, memory, counts, (np.cumsum(is_new) - 1)[of], value[is_new])


def _cases(
    sample: _GroupedSample, rows: int
) -> tuple[NDArray[np.float64], list[_GroupCase], NDArray[np.int64]]:
    """Start of the rows, the cases by row, and the first case of each row."""
    n_groups = sample.smallest.size
    upto = np.cumsum(np.bincount(sample.group, weights=sample.counts, minlength=n_groups))
    octile = np.searchsorted(upto, np.arange(1, rows) / rows * upto[-1])
    begin_of = {0.0} | {float(x) for x in sample.smallest[octile]} - {float(sample.cycles.max())}
    begins = sorted(begin_of)
    largest = np.full(n_groups, -np.inf)
    np.maximum.at(largest, sample.group, sample.cycles)
    cases = [_GroupCase(0.0, 0, 0)]
    for g, elapsed in enumerate(sample.smallest.tolist()):
        if largest[g] > elapsed:
            cases.append(_GroupCase(elapsed, g, g + 1))
        else:
            cases.append(_GroupCase(elapsed, g, g))
            if g + 1 < n_groups:
                cases.append(_GroupCase(elapsed, g + 1, g + 1))
    elapsed = np.array([case.elapsed for case in cases])
    return np.array(begins), cases, np.searchsorted(elapsed, begins)


def _kernel_cases(
    sample: _GroupedSample,
    cases: list[_GroupCase],
    counted: WorkHistogram,
    time: NDArray[np.float64],
    allowed: float,
    first: NDArray[np.int64],
) -> OwnLawCases:
    """The cases for the kernel, with elapsed work still in cycles."""
    buckets, groups = counted.share.size, sample.smallest.size
    bucket = counted.buckets_of(time)
    by_group = np.bincount(sample.group * buckets + bucket, sample.counts, groups * buckets)
    share = by_group.reshape(groups, buckets)[::-1].cumsum(axis=0)[::-1] / sample.counts.sum()
    mass = np.append(share.sum(axis=1), 0.0)
    running = share[[case.least for case in cases]]
    among = mass[[case.surely for case in cases]]
    # Above the last group the probability is 0, so the longest remaining work holds.
    is_last = among == 0.0
    for at in np.flatnonzero(is_last):
        longest = np.flatnonzero(running[at])[-1]
        running[at] = np.arange(buckets) == longest
    return OwnLawCases(
        np.ascontiguousarray(running[:, ::-1]),
        allowed * np.where(is_last, 1.0, among),
        np.array([case.elapsed for case in cases]),
        first,
        np.append(first[1:], len(cases)),
    )


def _convolve(
    counted: WorkHistogram, known: OwnLawCases, left: NDArray[np.float64]
) -> NDArray[np.float64]:
    size = counted.share.size * (left.shape[1] + 1)
    conditional_rows(law_of(counted), known, np.empty(size), np.empty(size), left)
    return left


def _gaussian(
    counted: WorkHistogram, known: OwnLawCases, z: float, position: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Entries of later positions, as in tables.py [rows, positions]."""
    value = counted.least + counted.width * np.arange(counted.share.size)
    mean = float(counted.share @ value)
    variance = float(counted.share @ (value - mean) ** 2)
    running = known.falling[:, ::-1] / known.falling.sum(axis=1, keepdims=True)
    first = running @ value
    spread = np.maximum(running @ value**2 - first**2, 0.0)
    deviation = np.sqrt(spread[:, None] + position * variance)
    left = (first - known.elapsed)[:, None] + position * mean + z * deviation
    return np.maximum.reduceat(left, known.first, axis=0)


def _lines(
    left: NDArray[np.float64], grid: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Entries c [rows, positions] and m [positions] above `left` [F, rows, positions]."""
    _, n_rows, n_positions = left.shape
    cycles, memory = np.empty((n_rows, n_positions)), np.empty(n_positions)
    least_c, least_m = np.zeros(n_rows), 0.0
    for i in range(n_positions):
        least_c, least_m = _line(left[:, :, i], 1 / grid, least_c, least_m)
        cycles[:, i], memory[i] = least_c, least_m
    return cycles, memory


def _line(
    q: NDArray[np.float64], x: NDArray[np.float64], least_c: NDArray[np.float64], least_m: float
) -> tuple[NDArray[np.float64], float]:
    """The best c [rows] and m of one position, no less than the last one's; q is [F, rows]."""
    one, other = np.triu_indices(x.size, 1)
    slope = (q[one] - q[other]) / (x[one] - x[other])[:, None]
    breaks = np.concatenate((q[one] - slope * x[one, None], q - x[:, None] * least_c), axis=0)
    tried = np.unique(np.append(np.maximum(breaks, least_m), least_m))
    needed = (q - tried[:, None, None]) / x[:, None]
    c = np.maximum(needed.max(axis=1), least_c)
    best = int(np.argmin(x.sum() * c.sum(axis=1) + q.size * tried))
    return c[best], float(tried[best])
