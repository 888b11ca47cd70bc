"""The master program: a linear program that mixes schedules within servers and brown energy.

    minimise    sum_k r_k l_k + sum_st w_s p_t b_st + penalty sum_j a_j
    subject to  sum_(k of j) l_k + a_j = 1                        each job
                rows of blocks of servers, energy and its envelope (`rows`)
    variables   l, a, b >= 0

Its multipliers are prices of blocks of servers and of energy. With any m_qt >= 0, and v_st and
u_qst >= 0 that are at most w_s p_t together,

    sum_j min_k (r_k + sum_qt (m_qt + sum_s u_qst g_qst) floor(n_kt / q) + sum_st v_st e_kt)
        - sum_qt m_qt floor(C / q) - sum_st (v_st green_st + sum_q u_qst g_qst f_qst)

is a lower bound on the cost of every plan, whatever the solver claims.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tailc_solvers.backends.check import AnswerVerdict, optimum
from tailc_solvers.backends.linear import LinearProgram, SolverAnswer
from tailc_solvers.green.parallel.corner import BasisStore
from tailc_solvers.green.parallel.kernels import NEVER
from tailc_solvers.green.parallel.known_schedules import KnownSchedules
from tailc_solvers.green.parallel.parts import NANO
from tailc_solvers.green.parallel.problem import (
    MJ_PER_KWH,
    S_PER_H,
    ParallelProblem,
    Whole,
)
from tailc_solvers.green.parallel.rows import Allowed, Entries, MasterRows
from tailc_solvers.green.parallel.schedules import (
    ROUNDING,
    Column,
    Least,
    Rules,
    SchedulePrices,
    Schedules,
)

Vector = NDArray[np.float64]

PENALTY = 100.0
"""Cost of a job without a schedule, in units of the cost of the most expensive plan."""


@dataclass(frozen=True, eq=False)
class Multipliers:
    """Dual prices of the master linear program, which mixes schedules, in billionths.

    server: price of a block of servers in an epoch, m [Q, T]. energy: price of a kWh by forecast
    and epoch, v [S, T]. excess: price of the rows that relate blocks of servers to brown energy, u
    [Q, S, T].
    """

    server: Whole
    energy: Whole
    excess: Whole

    def between(self, other: Multipliers, share: float) -> Multipliers:
        """Prices that are a fraction `share` of the way from these to `other`; rounded down."""
        pairs = zip(self._parts, other._parts, strict=True)
        return Multipliers(*(np.floor(a + share * (b - a)).astype(np.int64) for a, b in pairs))

    @property
    def _parts(self) -> tuple[Whole, Whole, Whole]:
        return self.server, self.energy, self.excess


class PricedSchedules(NamedTuple):
    """The cheapest schedule of each job at some prices, and the lower bound that the prices prove.

    bound: lower bound on the cost of every plan, in billionths.
    """

    bound: int
    least: tuple[Least, ...]

    @property
    def columns(self) -> list[Column]:
        """The cheapest schedule of each job; jobs that have no schedule are left out."""
        return [least.column for least in self.least if least.column is not None]


class Master:
    """The linear program over the known schedules of all jobs, and the bounds that it proves."""

    def __init__(self, schedules: Schedules) -> None:
        self.problem = schedules.problem
        self.most_cost = most_cost(self.problem)
        self._schedules = schedules
        self._known = KnownSchedules(self.problem)
        self._rows = MasterRows(self.problem)
        self._entries = Entries.join([])
        self._corner = BasisStore(self._rows)

    @property
    def columns(self) -> list[Column]:
        """The schedules that the linear program contains, in the order of its variables."""
        return self._known.columns

    def add(self, columns: Iterable[Column]) -> int:
        """Add the schedules that are not yet known; return their number."""
        new, known = self._known.add(columns), self._known
        if new.stop > new.start:
            taken = known.job[new], known.servers[new], known.energy_mj[new]
            entries = self._rows.entries(new.start, *taken)
            self._entries = Entries.join([self._entries, entries])
        return new.stop - new.start

    def obeying(self, rules: Rules) -> Allowed:
        """Whether each known schedule obeys the branching rules."""
        return self._known.obeying(rules)

    def excess(self, multipliers: Multipliers) -> Vector:
        """Excess cost of each schedule at some prices, over the cheapest known one of its job.

        A plan costs at least the bound of the multipliers plus the excess costs of its schedules.
        """
        prices, known = self.prices(multipliers), self._known
        cost = known.servers @ prices.server + known.energy_mj @ (prices.energy / MJ_PER_KWH)
        cost += sum((known.servers // size) @ price for size, price in prices.blocks)
        cost += NANO * known.waiting
        least = np.full(len(self.problem.jobs), np.inf)
        np.minimum.at(least, known.job, cost)
        return cost - least[known.job]

    def program(self, allowed: Allowed) -> LinearProgram:
        """Build the linear program of the allowed schedules, with the last basis as its start."""
        return self._rows.program(
            self._entries,
            self._known.waiting,
            PENALTY * self.most_cost,
            allowed=allowed,
            unit=self.most_cost,
            start=self._corner.start(len(self.columns)),
        )

    def check(self, program: LinearProgram, answer: SolverAnswer) -> AnswerVerdict:
        """Check whether the multipliers of an answer prove that its point is optimal.

        Multipliers with a rounding error prove no bound if a variable has no upper limit, as brown
        energy in the program. So its limit here is the largest energy that all jobs together can
        use.
        """
        upper = np.minimum(program.upper, self._rows.most_brown(program.n_variables))
        return optimum(replace(program, upper=upper), answer)

    def objective(self, answer: SolverAnswer) -> float:
        """Cost of the point in a solver's answer, in micro-units; not finite without a point."""
        return math.nan if answer.point is None else answer.point.objective * self.most_cost

    def shares(self, answer: SolverAnswer, allowed: Allowed) -> Vector | None:
        """Share of each schedule in the fractional plan of an answer; None without a point."""
        point = answer.point
        if point is None or point.x.size != self._rows.fixed + allowed.size:
            return None
        return np.where(allowed, point.x[self._rows.fixed :], 0.0)

    def take_up(self, answer: SolverAnswer, allowed: Allowed) -> int:
        """Add the rows that the point of an answer violates to the program; return their number."""
        duals, point = answer.duals, answer.point
        self._corner.keep(duals.basis if duals else None, allowed.size)
        shares, green = self.shares(answer, allowed), self.problem.green_mj
        if shares is None or point is None or not np.isfinite(point.x).all():
            return 0
        brown = point.x[: green.size].reshape(green.shape)
        there = np.flatnonzero(shares)
        used = self._rows.used_blocks(self._known.servers[there], shares[there])
        return self._rows.take_up(used, brown)

    def multipliers(self, answer: SolverAnswer) -> Multipliers | None:
        """Dual values of a solver's answer, corrected so that they prove a bound.

        None without any.
        """
        rows, T = self._rows, self.problem.epochs
        dual = answer.duals.rows if answer.duals else None
        if dual is None or dual.shape != (sum(rows.counts),) or not np.isfinite(dual).all():
            return None
        at = np.split(-dual * self.most_cost, np.cumsum(rows.counts)[:-1])
        _, at_room, at_energy, at_envelope = at
        # Sums over a job's epochs and all servers must stay below NEVER.
        highest = int(NEVER) // (16 * rows.blocks.size * self.problem.servers * T)
        server, excess = np.zeros(rows.with_room.shape), np.zeros(rows.with_envelope.shape)
        server[rows.with_room] = np.clip(np.rint(NANO * at_room), 0, highest)
        per_kwh = NANO * MJ_PER_KWH / rows.unit_mj
        most = np.floor(NANO * rows.brown_cost * (1 - ROUNDING))
        energy = np.zeros(most.shape)
        energy[rows.with_energy] = np.rint(per_kwh * at_energy)
        energy = np.clip(energy, 0, most)
        excess[rows.with_envelope] = np.clip(np.rint(per_kwh * at_envelope), 0, None)
        for q in range(rows.blocks.size):
            excess[q] = np.minimum(excess[q], most - energy - excess[:q].sum(axis=0))
        return Multipliers(*(part.astype(np.int64) for part in (server, energy, excess)))

    def of_brown(self, share: float) -> Multipliers:
        """Initial multipliers of the linear program, at which servers are free.

        share: price of energy as a fraction of the price of brown energy.
        """
        rows = self._rows
        most = np.floor(NANO * rows.brown_cost * share * (1 - ROUNDING))
        server, excess = (
            np.zeros(table.shape, dtype=np.int64) for table in (rows.with_room, rows.with_envelope)
        )
        return Multipliers(server, most.astype(np.int64), excess)

    def price(self, multipliers: Multipliers, rules: Rules) -> PricedSchedules:
        """Find each job's cheapest schedule at these prices under the rules.

        Return the schedules with the lower bound that the prices prove.
        """
        return self._sum(multipliers, self._schedules.cheapest(self.prices(multipliers), rules))

    def reprice(
        self, priced: PricedSchedules, multipliers: Multipliers, rules: Rules, jobs: Sequence[int]
    ) -> PricedSchedules:
        """Search again for the cheapest schedules of the jobs whose branching rules have changed.

        The other results of `priced` stay.
        """
        least = list(priced.least)
        found = self._schedules.cheapest(self.prices(multipliers), rules, jobs)
        for j, one in zip(jobs, found, strict=True):
            least[j] = one
        return self._sum(multipliers, least)

    def _sum(self, multipliers: Multipliers, least: Sequence[Least]) -> PricedSchedules:
        if any(one.bound >= NEVER for one in least):
            return PricedSchedules(int(NEVER), tuple(least))
        bound = sum(one.bound for one in least) - self._income(multipliers)
        return PricedSchedules(bound, tuple(least))

    def prices(self, multipliers: Multipliers) -> SchedulePrices:
        """Convert dual prices of the program's rows to the prices of the search for schedules.

        They are the prices of servers, of blocks of servers and of energy, rounded down.
        """
        rows = self._rows
        excess = (multipliers.excess * (rows.lack_mj / MJ_PER_KWH)).sum(axis=1)
        block = multipliers.server + np.floor(excess * (1 - ROUNDING)).astype(np.int64)
        blocks = zip(rows.blocks[1:].tolist(), block[1:], strict=True)
        energy = multipliers.energy.sum(axis=0)
        return SchedulePrices(
            block[0], energy, tuple((q, price) for q, price in blocks if price.any())
        )

    def _income(self, multipliers: Multipliers) -> int:
        """Income of servers and green energy, in billionths, rounded up."""
        rows = self._rows
        servers = _dot(multipliers.server, rows.room[:, None])
        green = _dot(multipliers.energy, self.problem.green_mj)
        fed = _dot(multipliers.excess, rows.lack_mj, rows.fed)
        return servers - -(green + fed) // MJ_PER_KWH


def most_cost(problem: ParallelProblem) -> float:
    """An upper bound on the cost of every plan, in micro-units.

    It is the cost if all servers are always busy on brown energy and all jobs run in all epochs.
    """
    count = np.arange(1, problem.servers + 1)
    busy = float((problem.power_mw[1:] / count).max()) * problem.servers * problem.length_s
    moved = len(problem.jobs) * int(problem.moves_mj.max())
    brown = float(((busy + moved) * problem.brown_cost).sum()) / MJ_PER_KWH
    return 1.0 + brown + problem.run_cost * int(problem.begin_s[-1]) / S_PER_H


def _dot(first: Whole, *others: Whole) -> int:
    """Sum of products, in integers of any size; the other factors broadcast over the first."""
    at = np.flatnonzero(first)
    parts = [np.broadcast_to(other, first.shape).ravel()[at].tolist() for other in others]
    return sum(map(math.prod, zip(first.ravel()[at].tolist(), *parts, strict=True)))
