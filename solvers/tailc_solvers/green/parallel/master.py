"""Which schedules to mix: the linear program that couples jobs by servers and brown energy alone.

    minimise    sum_k r_k l_k + sum_st w_s p_t b_st + penalty sum_j a_j
    subject to  sum_(k of j) l_k + a_j = 1                        each job
                sum_k n_kt l_k <= C                               each epoch
                sum_k e_kt l_k - b_st <= green_st                 each epoch and forecast
                g_st (sum_k n_kt l_k - f_st) <= b_st              likewise
    variables   l, a, b >= 0

The last row holds because servers are whole: where a busy server takes e_t at least, f_st of them
fit under the green energy and f_st + 1 take g_st too much. It is the envelope of the brown energy
over whole counts; without it the mixed counts of the program fill the green energy to the brim.

Its multipliers are prices of servers and energy. With any m_t >= 0 and v_st, u_st >= 0 that are at
most w_s p_t together,

    sum_j min_k (r_k + sum_t (m_t + sum_s u_st g_st) n_kt + sum_st v_st e_kt)
        - sum_t m_t C - sum_st (v_st green_st + u_st g_st f_st)

is a lower bound on every plan, so the solver's word is not needed for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tailc_solvers.backends.linear import Answer, LinearProgram
from tailc_solvers.green.parallel.kernels import NEVER
from tailc_solvers.green.parallel.mixture import Rules
from tailc_solvers.green.parallel.problem import (
    MJ_PER_KWH,
    MJ_PER_WH,
    PPM,
    S_PER_H,
    WH_PER_KWH,
    ParallelProblem,
    Whole,
)
from tailc_solvers.green.parallel.schedules import (
    ANY,
    NANO,
    ROUNDING,
    Column,
    Prices,
    Schedules,
)
from tailc_solvers.green.parallel.search import energy_of, waiting_of

Vector = NDArray[np.float64]

PENALTY = 100.0
"""Of a job without a schedule, in what the dearest plan costs."""


@dataclass(frozen=True, eq=False)
class Multipliers:
    """m, v and u in billionths: for a server-epoch [T], and for a kWh in each forecast [S, T]."""

    server: Whole
    energy: Whole
    excess: Whole

    def between(self, other: Multipliers, share: float) -> Multipliers:
        """Moved by `share` of the way to another, down to whole numbers."""
        pairs = zip(self._parts, other._parts, strict=True)
        return Multipliers(*(np.floor(a + share * (b - a)).astype(np.int64) for a, b in pairs))

    @property
    def _parts(self) -> tuple[Whole, Whole, Whole]:
        return self.server, self.energy, self.excess


class Priced(NamedTuple):
    """A lower bound in billionths, and each job's least schedule at the prices behind it."""

    bound: int
    columns: list[Column]


class Master:
    """The program over the schedules that are known, and what its multipliers prove."""

    def __init__(self, schedules: Schedules) -> None:
        self.problem = schedules.problem
        self.columns: list[Column] = []
        self.most_cost = most_cost(self.problem)
        self._schedules = schedules
        self._known: set[Column] = set()
        self._rows = _Rows(self.problem)
        self._energy_wh: list[Vector] = []

    def add(self, columns: Iterable[Column]) -> int:
        """Add the schedules that are new; how many there were."""
        before = len(self.columns)
        for column in columns:
            if column not in self._known:
                self._known.add(column)
                self.columns.append(column)
                self._energy_wh.append(energy_of(self.problem, column) / MJ_PER_WH)
        return len(self.columns) - before

    def obeying(self, rules: Rules) -> list[int]:
        """Which schedules obey the rules."""
        return [k for k, c in enumerate(self.columns) if rules.get(c.job, ANY).admits(c)]

    def program(self, kept: Sequence[int], *, is_whole: bool) -> LinearProgram:
        """Of some schedules: brown energy in Wh [S T], then what jobs lack [J], then those."""
        columns = [self.columns[k] for k in kept]
        energy = np.stack([self._energy_wh[k] for k in kept])
        return self._rows.program(columns, energy, PENALTY * self.most_cost, is_whole=is_whole)

    def shares(self, answer: Answer, kept: Sequence[int]) -> Vector | None:
        """How much of each of some schedules a point has; None without a point."""
        if answer.x is None or answer.x.size != self._rows.fixed + len(kept):
            return None
        return answer.x[self._rows.fixed :]

    def multipliers(self, answer: Answer) -> Multipliers | None:
        """Those of the linear program, made valid; None where the answer has none."""
        J, (S, T) = len(self.problem.jobs), self.problem.green_mj.shape
        dual = answer.dual
        if dual is None or dual.shape != (J + T + 2 * S * T,) or not np.isfinite(dual).all():
            return None
        # Sums over a job's epochs and all servers must stay below what stands for never.
        highest = int(NEVER) // (8 * self.problem.servers * T)
        server = np.clip(np.rint(-NANO * dual[J : J + T]), 0, highest)
        energy, excess = np.rint(-NANO * WH_PER_KWH * dual[J + T :].reshape(2, S, T))
        most = np.floor(NANO * WH_PER_KWH * self._rows.brown_cost * (1 - ROUNDING))
        energy = np.clip(energy, 0, most)
        parts = (server, energy, np.clip(excess, 0, most - energy))
        return Multipliers(*(part.astype(np.int64) for part in parts))

    def of_brown(self, share: float) -> Multipliers:
        """Servers free, and energy at a share of what brown energy costs."""
        most = np.floor(NANO * WH_PER_KWH * self._rows.brown_cost * share * (1 - ROUNDING))
        nothing = np.zeros(most.shape, dtype=np.int64)
        return Multipliers(nothing[0], most.astype(np.int64), nothing)

    def priced(self, multipliers: Multipliers, rules: Rules) -> Priced:
        """The bound that the multipliers prove under the rules, and schedules to add."""
        prices, columns, bound = self.prices(multipliers), [], 0
        for j in range(len(self.problem.jobs)):
            rule = rules.get(j, ANY)
            found = self._schedules.best(j, lambda run: run.priced(prices), rule)
            columns += [] if found is None else [found.column]
            if found is not None and self._schedules.is_exact(j):
                least = found.cost
            else:
                least = self._schedules.bound(j, prices, rule)
            if least >= NEVER:
                return Priced(int(NEVER), columns)
            bound += least
        return Priced(bound - self._given(multipliers), columns)

    def prices(self, multipliers: Multipliers) -> Prices:
        """What a job has to pay, rounded down."""
        excess = (multipliers.excess * (self._rows.lack_mj / MJ_PER_KWH)).sum(axis=0)
        server = multipliers.server + np.floor(excess * (1 - ROUNDING)).astype(np.int64)
        return Prices(server, multipliers.energy.sum(axis=0))

    def _given(self, multipliers: Multipliers) -> int:
        """What servers and green energy earn, in billionths, rounded up."""
        servers = self.problem.servers * sum(multipliers.server.tolist())
        green = _dot(multipliers.energy, self.problem.green_mj)
        fed = _dot(multipliers.excess, self._rows.lack_mj, self._rows.fed)
        return servers - -(green + fed) // MJ_PER_KWH


class _Rows:
    """The rows of a problem: jobs [J], servers [T], brown energy and its envelope [S T] each."""

    def __init__(self, problem: ParallelProblem) -> None:
        self.problem = problem
        self.fixed = problem.green_mj.size + len(problem.jobs)
        """Variables before the schedules."""
        self.brown_cost = problem.weight_ppm[:, None] / PPM * problem.brown_cost / WH_PER_KWH
        """Micro-units for each Wh [S, T]."""
        count = np.arange(1, problem.servers + 1)
        least_mw = int((problem.power_mw[1:] // count).min())
        each = least_mw * problem.length_s
        self.fed = problem.green_mj // np.maximum(each, 1)
        """f: servers that green energy feeds [S, T]."""
        self.lack_mj = np.maximum((self.fed + 1) * each - problem.green_mj, 0)
        """g: what one more lacks; 0 where servers need no energy [S, T]."""

    def program(
        self, columns: Sequence[Column], energy_wh: Vector, penalty: float, *, is_whole: bool
    ) -> LinearProgram:
        """The program of some schedules, with the energy that each takes [K, T]."""
        problem = self.problem
        S, T, J, K = *problem.green_mj.shape, len(problem.jobs), len(columns)
        job = np.array([column.job for column in columns])
        servers = np.stack([column.row(T) for column in columns])
        brown, lack, mix = np.arange(S * T), S * T + np.arange(J), self.fixed + np.arange(K)
        at, epoch = np.nonzero(servers)
        first = J + T + S * T
        row = [np.arange(J), job, J + epoch, J + T + brown, first + brown]
        column = [lack, mix, mix[at], brown, brown]
        value = [np.ones(J), np.ones(K), servers[at, epoch], -np.ones(S * T), -np.ones(S * T)]
        at_energy, epoch_energy = np.nonzero(energy_wh)
        slope = self.lack_mj / MJ_PER_WH
        for s in range(S):
            row += [J + T + s * T + epoch_energy, first + s * T + epoch]
            column += [mix[at_energy], mix[at]]
            value += [energy_wh[at_energy, epoch_energy], slope[s, epoch] * servers[at, epoch]]
        waiting = [waiting_of(problem, column) for column in columns]
        green = problem.green_mj / MJ_PER_WH
        upper = [np.ones(J), np.full(T, problem.servers), green.ravel(), (slope * self.fed).ravel()]
        n = self.fixed + K
        return LinearProgram(
            cost=np.concatenate([self.brown_cost.ravel(), np.full(J, penalty), waiting]),
            lower=np.zeros(n),
            upper=np.concatenate([np.full(S * T, np.inf), np.ones(J + K)]),
            integer=np.arange(n) >= (S * T + J if is_whole else n),
            row=np.concatenate(row),
            column=np.concatenate(column),
            value=np.concatenate(value).astype(np.float64),
            row_lower=np.concatenate([np.ones(J), np.full(T + 2 * S * T, -np.inf)]),
            row_upper=np.concatenate(upper).astype(np.float64),
        )


def most_cost(problem: ParallelProblem) -> float:
    """Micro-units that no plan exceeds: all servers always busy on brown energy, all jobs there."""
    count = np.arange(1, problem.servers + 1)
    busy = float((problem.power_mw[1:] / count).max()) * problem.servers * problem.length_s
    moved = len(problem.jobs) * int(problem.moves_mj.max())
    brown = float(((busy + moved) * problem.brown_cost).sum()) / MJ_PER_KWH
    return 1.0 + brown + problem.run_cost * int(problem.begin_s[-1]) / S_PER_H


def _dot(first: Whole, *others: Whole) -> int:
    """Sum of products, in whole numbers of any size."""
    total = first.astype(object)
    for other in others:
        total = total * other
    return int(total.sum())
