"""A small linear program of many jobs over a horizon: a bound on every plan's value, and prices.

Where moves cost nothing, jobs can change places in every epoch, and of each job only its green
slots matter. So servers are counted for all jobs together, and the program grows with groups times
epochs plus jobs times their epochs:

    minimise    sum_j (penalty_j u_j - revenue_j sum_k s_jk) + sum_gt o_g x_gt + sum_t b_t
    subject to  sum_g x_gt = sum_j V_j r_jt                  with r_jt = sum_(k <= t < k + T_j) s_jk
                sum_(green g) x_gt >= sum_j y_jt,    y_jt <= V_j r_jt
                sum_(green g) x_gt <= servers for which there is energy on the green bus
                u_j >= G_j sum_k s_jk - sum_t y_jt,    b_t >= c_t brown_t / EV without moves
    variables   0 <= x_gt <= free_gt, s_jk from 0 to 1 with sum_k s_jk <= 1, y, u, b >= 0

A plan is a point of it that costs no more, so its optimum bounds every plan. With multipliers pi_t
of the first row, gamma_t of the second, -delta_t of that of the bus and beta_t of the bill, one
more server of group g in epoch t is worth max(o_g, pi_t + (gamma_t - delta_t) k_gt) + beta_t c_t to
these jobs: its price.

Source: the prices are those of bid-price control (Talluri, van Ryzin, Management Science 44, 1998);
Haque 2016, appendix A.5.1, names the mean profit by slot as the opportunity cost and takes an
epsilon.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tailc_solvers.backends.adapters import Solver
from tailc_solvers.backends.check import AnswerTrust, claimed_bound, optimum, proved_bound, verdict
from tailc_solvers.backends.linear import BackendLimits, SolverOutcome, Vector
from tailc_solvers.green.sla.problem import Groups, Job, Whole, check_jobs
from tailc_solvers.green.sla.program import Assembly, Index

ROUNDING = 1e-6
"""Excess of a multiplier over an integer [1e-6 dollars] that counts as rounding."""


@dataclass(frozen=True, eq=False)
class Horizon:
    """Upper bound on the value of every plan, and prices of servers, from a linear program.

    Attributes:
        outcome: status of the solver.
        trust: PROVED if the multipliers prove the optimum; they bound all plans in any case.
            REFUTED if they do not prove it, or the point is invalid; then there is no price.
        bound: upper bound on the value of every plan; inf without multipliers [micro-dollars].
        price: just below the value of a server of a group in an epoch, so that marginal jobs, of
            which the program admits a part, are admitted; None without multipliers [micro-dollars;
            groups, epochs].
        message: a sentence on a failure.
    """

    outcome: SolverOutcome
    trust: AnswerTrust
    bound: float
    price: Whole | None
    message: str = ""


@dataclass(frozen=True, eq=False)
class HorizonAdmission:
    """Which jobs the integer program admits, assuming free moves, as claimed by the solver.

    Attributes:
        outcome: status of the solver.
        trust: REFUTED if its answer was shown wrong.
        admitted: whether each job is admitted; None without an answer.
        claimed_bound: upper bound on every plan's value that the solver claims, or inf.
        message: a sentence on a failure.
    """

    outcome: SolverOutcome
    trust: AnswerTrust
    admitted: tuple[bool, ...] | None
    claimed_bound: float
    message: str = ""


def solve_horizon(
    groups: Groups, jobs: Sequence[Job], solver: Solver, limits: BackendLimits | None = None
) -> Horizon:
    """Solve the linear program of jobs on free servers: a bound on every plan, and prices."""
    check_jobs(jobs, groups.groups, groups.epochs)
    model = HorizonProgram.build(groups, jobs)
    program = model.assembly.program(relaxed=True)
    answer = solver.answer(program, limits)
    found = optimum(program, answer)
    bound, price = math.inf, None
    if answer.duals is not None:
        bound = -proved_bound(program, answer.duals.rows)
        if found.trust is AnswerTrust.PROVED:
            price = model.prices(groups, answer.duals.rows)
    return Horizon(answer.outcome, found.trust, bound, price, found.reason(answer))


def solve_admission(
    groups: Groups, jobs: Sequence[Job], solver: Solver, limits: BackendLimits | None = None
) -> HorizonAdmission:
    """Solve the integer program of which jobs to admit, assuming that moves cost nothing."""
    check_jobs(jobs, groups.groups, groups.epochs)
    model = HorizonProgram.build(groups, jobs)
    program = model.assembly.program()
    answer = solver.answer(program, limits)
    found = verdict(program, answer)
    if answer.point is None or found.faults:
        return HorizonAdmission(answer.outcome, found.trust, None, math.inf, found.reason(answer))
    admitted = tuple(bool(np.rint(answer.point.x[start]).any()) for start in model.starts)
    bound = claimed_bound(program, answer)
    return HorizonAdmission(
        answer.outcome, found.trust, admitted, math.inf if bound is None else -bound
    )


@dataclass(frozen=True, eq=False)
class HorizonProgram:
    """The linear program of many jobs on free servers, with the numbers of its variables and rows.

    Attributes:
        assembly: the program.
        starts: start variables of each job.
        servers: variables of the servers that all jobs use [groups, epochs].
        green: rows that count green slots, by epoch.
        bills: rows of the energy bill, by epoch.
        fed: rows of the green bus; -1 in epochs in which green energy feeds all free servers.
    """

    assembly: Assembly
    starts: Sequence[Index]
    servers: Index
    green: Index
    bills: Index
    fed: Index

    @classmethod
    def build(cls, groups: Groups, jobs: Sequence[Job]) -> HorizonProgram:
        assembly = Assembly()
        charge = groups.charges.slot[:, None]
        x = assembly.variables(groups.free.shape, cost=charge, upper=groups.free, integer=False)
        bill = assembly.variables((groups.epochs,), cost=1.0, upper=_most(groups), integer=False)
        columns = [_Columns.build(assembly, job) for job in jobs]
        first, end = np.array([(job.first_epoch, job.end) for job in jobs]).reshape(-1, 2).T
        places = []
        for t in range(groups.epochs):
            may_run = [columns[at] for at in np.flatnonzero((first <= t) & (t < end))]
            places.append(_epoch_rows(assembly, groups, may_run, t, x, bill))
        servers, green, bills = np.array(places).T
        fed = _fed_rows(assembly, groups, x)
        return cls(assembly, [one.start for one in columns], servers, green, bills, fed)

    def prices(self, groups: Groups, dual: Vector) -> Whole:
        """Price of a server from dual values of the linear program [micro-dollars; groups, epochs].

        dual: multiplier of each row.
        """
        fed = np.where(self.fed >= 0, dual[self.fed], 0.0)
        scarce = dual[self.servers] + (dual[self.green] + fed) * groups.is_green
        worth = np.maximum(scarce, groups.charges.slot[:, None])
        worth += dual[self.bills] * groups.energy.brown_cost
        return np.maximum(np.ceil(worth - ROUNDING) - 1, 0).astype(np.int64)


@dataclass(frozen=True, eq=False)
class _Columns:
    """Indices of a job's starts, and of its green servers by epoch of its window."""

    job: Job
    start: Index
    green: Index

    @classmethod
    def build(cls, assembly: Assembly, job: Job) -> _Columns:
        least = 1.0 if job.must_run else 0.0
        start = assembly.variables((job.starts.size,), cost=-job.revenue, lower=least, upper=1)
        window = (job.end - job.first_epoch,)
        green = assembly.variables(window, upper=job.width, integer=False)
        missing = assembly.variables((1,), cost=job.penalty, upper=job.green_slots, integer=False)
        found, promise = green[None, :], (start[None, :], -float(job.green_slots))
        assembly.rows((missing[None, :], 1.0), (found, 1.0), promise, lower=0)
        if start.size > 1:
            assembly.rows((start[None, :], 1.0), upper=1)
        columns = cls(job, start, green)
        if start.size == 1:
            assembly.rows((green[:, None], 1.0), (start[None, :], -float(job.width)), upper=0)
            return columns
        for at, epoch in enumerate(range(job.first_epoch, job.end)):
            run = columns.running(epoch)[None, :]
            assembly.rows((green[None, at : at + 1], 1.0), (run, -float(job.width)), upper=0)
        return columns

    def running(self, epoch: int) -> Index:
        """The starts with which it runs in an epoch."""
        begun = self.job.starts
        return self.start[(begun <= epoch) & (epoch < begun + self.job.epochs)]


def fed_servers(groups: Groups) -> Whole:
    """Number of servers that the bus of green power can feed without moves [epochs]."""
    return np.maximum(groups.green_left, 0) // groups.energy.server


def _fed_rows(assembly: Assembly, groups: Groups, x: Index) -> Index:
    """Rows of the bus [epochs]; -1 if it feeds all free servers."""
    rows, fed = np.full(groups.epochs, -1, dtype=np.int64), fed_servers(groups)
    for t in range(groups.epochs):
        green = groups.is_green[:, t]
        if int(groups.free[green, t].sum()) > fed[t]:
            rows[t] = assembly.rows((x[None, green, t], 1.0), upper=fed[t])[0]
    return rows


def _most(groups: Groups) -> Vector:
    """The largest bill of each epoch, with all servers busy.

    Without a limit of a variable, multipliers with a rounding error prove nothing.
    """
    energy = groups.energy
    slots = groups.servers.sum() + energy.move * groups.moves.sum(axis=0) / energy.server
    return energy.brown_cost * slots


def _epoch_rows(
    assembly: Assembly, groups: Groups, here: list[_Columns], t: int, x: Index, bill: Index
) -> tuple[int, int, int]:
    """Rows of the servers, the green servers and the bill of an epoch, for the jobs `here`."""
    energy = groups.energy
    run = np.concatenate([np.zeros(0, dtype=np.int64), *(one.running(t) for one in here)])
    width = np.concatenate(
        [np.zeros(0), *(np.full(one.running(t).size, float(one.job.width)) for one in here)]
    )
    y = np.array([one.green[t - one.job.first_epoch] for one in here], dtype=np.int64)
    servers = assembly.rows((x[None, :, t], 1.0), (run[None, :], -width), lower=0, upper=0)
    on = x[None, groups.is_green[:, t], t]
    green = assembly.rows((on, 1.0), (y[None, :], -1.0), lower=0)
    drawn = energy.server * int(groups.busy[:, t].sum()) + energy.move * int(
        groups.moves[:, t].sum()
    )
    left = (int(energy.green[t]) - drawn) / energy.server
    cost = float(energy.brown_cost[t])
    bills = assembly.rows(
        (bill[None, t : t + 1], 1.0), (run[None, :], -cost * width), lower=-cost * left
    )
    return int(servers[0]), int(green[0]), int(bills[0])
