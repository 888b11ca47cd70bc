"""Thresholds as one mixed-integer program for a general solver, if each request has its own speeds.

If each request has its own speeds, slivers of work are no longer common to all requests, and which
request is the tail depends on the thresholds. Request r, of weight m_r, spends u_ri on type i:

    minimise    sum_r m_r sum_i p_i u_ri / sum_r m_r
    subject to  sum_i s_ri u_ri >= x_r
                u_ri <= v_i                                   i < N
                u_ri >= v_i - V_i (1 - b_ri)                  leaves type i only after v_i
                u_r(i+1) <= U_r(i+1) b_ri,  b_r(i+1) <= b_ri  runs on the next only then
                sum_i u_ri <= target + M_r (1 - y_r),   sum_r m_r y_r >= rank
    variables   0 <= v_i <= V_i, 0 <= u_ri <= U_ri, b_ri and y_r in {0, 1}

The constants are the smallest that the data allow: U_ri = x_r / s_ri; V_i is the largest U_ri, with
which no request leaves type i; M_r is the longest latency less the target. y_r is fixed if the
fastest type is too slow or the slowest fast enough. U and V are rounded up to whole steps of time:
otherwise a solver that counts in steps could not end a request on one type.

Source: Haque et al., MICRO 2017, eq. 1-4, with one speed-up for each request; the case bounds are
in work. Practical up to some tens of requests; `search` goes on from there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tailc_solvers.backends.linear import LinearProgram
from tailc_solvers.sample import WeightedSample

Vector = NDArray[np.float64]
STEPS_PER_MS = 1_000
"""Steps of time per ms, for solvers that have only integers."""

Row = tuple[float, dict[int, float], float]


@dataclass(frozen=True)
class MipThresholds:
    """The mixed-integer program of a threshold problem; its first variables are the durations v_i.

    Attributes:
        program: the program.
        types: number of core types, N.
    """

    program: LinearProgram
    types: int

    def age_ms(self, x: Vector) -> Vector:
        """Read the climb ages from a point of the program [N - 1].

        Rounding errors below 0 are removed.
        """
        return np.cumsum(np.maximum(x[: self.types - 1], 0.0))


def mip_thresholds(
    sample: WeightedSample, power: ArrayLike, *, rank: int, target_ms: float
) -> MipThresholds:
    """Build the mixed-integer program of a threshold problem.

    sample: demands, weights, and the speeds of each request on each type of core. power: of each
    type [N]. rank: 1-based rank of the tail. target_ms: largest tail.
    """
    sample.check_rank(rank)
    layout = _Layout(sample, np.array(power, dtype=np.float64), target_ms)
    rows = [row for r in range(layout.requests) for row in layout.rows_of(r)]
    most = float(sample.total_weight)
    met = {layout.y(r): float(sample.weight[r]) for r in range(layout.requests)}
    lower, upper = layout.bounds()
    program = LinearProgram.build(
        layout.cost(), lower, upper, [*rows, (float(rank), met, most)], integer=layout.integer()
    )
    return MipThresholds(program, layout.types)


@dataclass(frozen=True)
class _Layout:
    """Indices of the variables: v, then u by request, then b by request, then y."""

    sample: WeightedSample
    power: Vector
    target_ms: float

    @property
    def types(self) -> int:
        return self.sample.n_rungs

    @property
    def requests(self) -> int:
        return self.sample.demand_ms.size

    @property
    def speeds(self) -> Vector:
        """Speeds of each request [R, N]."""
        return self.sample.speeds[self.sample.curve]

    @property
    def alone_ms(self) -> Vector:
        """The time on each type alone [R, N]."""
        return self.sample.demand_ms[:, None] / self.speeds

    @property
    def longest_ms(self) -> Vector:
        """U in whole steps [R, N]."""
        return np.ceil(self.alone_ms * STEPS_PER_MS) / STEPS_PER_MS

    def u(self, r: int, i: int) -> int:
        return self.types - 1 + r * self.types + i

    def b(self, r: int, i: int) -> int:
        return self.u(self.requests, 0) + r * (self.types - 1) + i

    def y(self, r: int) -> int:
        return self.b(self.requests, 0) + r

    def cost(self) -> Vector:
        c = np.zeros(self.y(self.requests))
        share = self.sample.weight / self.sample.total_weight
        c[self.u(0, 0) : self.b(0, 0)] = np.outer(share, self.power).ravel()
        return c

    def bounds(self) -> tuple[Vector, Vector]:
        alone = self.alone_ms
        switches = np.ones(self.requests * (self.types - 1))
        can = (alone.min(axis=1) <= self.target_ms).astype(np.float64)
        must = (alone.max(axis=1) <= self.target_ms).astype(np.float64)
        longest = self.longest_ms
        upper = [longest.max(axis=0)[:-1], longest.ravel(), switches, can]
        lower = np.zeros(self.y(self.requests))
        lower[self.y(0) :] = must
        return lower, np.concatenate(upper)

    def integer(self) -> NDArray[np.bool_]:
        return np.arange(self.y(self.requests)) >= self.b(0, 0)

    def rows_of(self, r: int) -> list[Row]:
        """The rows of one request."""
        inf, last = np.inf, self.types - 1
        longest = self.longest_ms
        most = longest[:, :-1].max(axis=0, initial=0.0)
        slack = max(float(longest[r].max()) - self.target_ms, 0.0)
        times = {self.u(r, i): 1.0 for i in range(self.types)}
        work = {self.u(r, i): float(self.speeds[r, i]) for i in range(self.types)}
        rows: list[Row] = [
            (float(self.sample.demand_ms[r]), work, inf),
            (-inf, {**times, self.y(r): slack}, self.target_ms + slack),
        ]
        for i in range(last):
            v = float(most[i])
            rows.append((-inf, {self.u(r, i): 1.0, i: -1.0}, 0.0))
            rows.append((-v, {self.u(r, i): 1.0, i: -1.0, self.b(r, i): -v}, inf))
            next_ms = float(longest[r, i + 1])
            rows.append((-inf, {self.u(r, i + 1): 1.0, self.b(r, i): -next_ms}, 0.0))
        for i in range(last - 1):
            rows.append((-inf, {self.b(r, i + 1): 1.0, self.b(r, i): -1.0}, 0.0))
        return rows
