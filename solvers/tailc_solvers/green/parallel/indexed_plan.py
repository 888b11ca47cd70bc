"""The plan of malleable jobs as one mixed-integer program over jobs, epochs and levels.

    minimise    sum_st w_s p_t b_st + r / J sum_jt L_t run_jt,      run_jt = sum_ol x_jolt
    subject to  sum_j n_l x_jolt <= C,     sum_j (e_lt x_jolt + M_pl y_joplt) - b_st <= green_st
                sum_o u_jo = 1,            sum_l x_jolt <= u_jo
                sum_a s_ja = 1,            s_jt <= run_jt <= run_j(t-1) + s_jt
                sum_olt min(W_j, v_ol min(L_t, D_j - (begin_t - begin_a))^+) x_jolt >= W_j s_ja
                sum_p y_joplt = x_jolt,    sum_l y_joplt = x_jop(t-1),    sum_l y_jo0lt <= s_jt
    variables   x job j has shape o and is on level l in epoch t, u its shape, s its start: 0 or 1
                y goes from level p to l, where 0 is before the start and after the end; b >= 0

y needs not be whole: x decides it. Work is in the largest unit that fits every coefficient.

Source: Haque, PhD dissertation (Rutgers 2016), Appendix B, eq. B.1-B.9 and the text below them;
speed-ups by table, and here energy too. Practical up to some ten jobs: `columns` goes on.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from tailc_solvers.backends.adapters import Solver
from tailc_solvers.backends.check import AnswerTrust, claimed_bound, verdict
from tailc_solvers.backends.linear import BackendLimits, LinearProgram, SolverOutcome, Vector
from tailc_solvers.green.parallel.plan import ServerPlan
from tailc_solvers.green.parallel.problem import (
    MJ_PER_WH,
    MS_PER_S,
    PPM,
    S_PER_H,
    WH_PER_KWH,
    ParallelProblem,
)
from tailc_solvers.green.parallel.solution import (
    CostBounds,
    Ending,
    ParallelSolution,
    checked_solution,
    most_of,
    none_of,
)

Row = tuple[float, dict[int, float], float]


def solve_indexed(
    problem: ParallelProblem, solver: Solver, limits: BackendLimits | None = None
) -> ParallelSolution:
    """Solve the mixed-integer program of a plan with `solver`, and check the plan exactly.

    The bound is claimed by the solver, not proved.
    """
    indexed = IndexedPlan(problem)
    answer = solver.answer(indexed.program, limits)
    trust = verdict(indexed.program, answer).trust
    if not answer.outcome.has_point:
        ending = (
            Ending.CLAIMED_NONE if answer.outcome is SolverOutcome.INFEASIBLE else Ending.NO_PLAN
        )
        return none_of(ending, answer.outcome, answer.message)
    if trust is AnswerTrust.REFUTED or answer.point is None:
        return none_of(Ending.REFUSED, answer.outcome, "the point is none of the program")
    plan = indexed.plan(answer.point.x)
    bounds = CostBounds(claimed=claimed_bound(indexed.program, answer))
    found = checked_solution(problem, plan, bounds, answer.outcome)
    if found.best is not None and found.best.ledger.cost > most_of(answer.point.objective):
        return none_of(Ending.REFUSED, answer.outcome, "the plan costs more than its point")
    return replace(found, course=answer.course)


class IndexedPlan:
    """The mixed-integer program of a plan of malleable jobs, and the plans at its points."""

    def __init__(self, problem: ParallelProblem) -> None:
        self.problem = problem
        self._running_columns: list[tuple[int, int, int, int, int]] = []
        self._rows: list[Row] = []
        self._cost: list[float] = []
        self._upper: list[float] = []
        self._whole: list[bool] = []
        self._servers: list[dict[int, float]] = [{} for _ in range(problem.epochs)]
        self._energy_wh: list[dict[int, float]] = [
            defaultdict(float) for _ in range(problem.epochs)
        ]
        for j in range(len(problem.jobs)):
            _Job(self, j).add()
        self._add_sums()

    @cached_property
    def program(self) -> LinearProgram:
        """Build the mixed-integer program of the plan.

        Its variables are those of each job in order, then brown energy in Wh.
        """
        return LinearProgram.build(self._cost, 0.0, self._upper, self._rows, integer=self._whole)

    def variable(self, cost: float = 0.0, upper: float = 1.0, *, is_whole: bool = True) -> int:
        """Add a variable to the program and return its number.

        `upper` must be finite and should be small: CP-SAT divides the range of a variable into
        coarser steps if it is large.
        """
        self._cost.append(cost)
        self._upper.append(upper)
        self._whole.append(is_whole)
        return len(self._cost) - 1

    def running(self, j: int, o: int, level: int, t: int, cost: float) -> int:
        """Add the 0-1 variable that is 1 if job j runs with shape o on `level` servers in epoch t.

        Returns its number in the program. cost: its coefficient in the objective.
        """
        x = self.variable(cost)
        self._running_columns.append((j, o, level, t, x))
        return x

    def row(self, lower: float, terms: dict[int, float], upper: float) -> None:
        """Add the row `lower` <= sum of coefficient times variable <= `upper`."""
        self._rows.append((lower, terms, upper))

    def takes(self, epoch: int, variable: int, servers: int, energy_mj: int) -> None:
        """Add a variable's servers and energy to the constraints of an epoch.

        If the variable is 1, the plan uses this number of servers and this energy [mJ] in the
        epoch. Does nothing for an epoch after the last one.
        """
        if epoch < self.problem.epochs:
            if servers:
                self._servers[epoch][variable] = float(servers)
            self._energy_wh[epoch][variable] += energy_mj / MJ_PER_WH

    def plan(self, point: Vector) -> ServerPlan:
        """Read the plan at a point of the program; no job keeps servers after its work is done."""
        servers = np.zeros((len(self.problem.jobs), self.problem.epochs), dtype=np.int64)
        shape = np.zeros(len(self.problem.jobs), dtype=np.int64)
        for j, o, level, t, x in self._running_columns:
            if point[x] > 1 / 2:
                servers[j, t] = self.problem.jobs[j].shapes[o].servers[level]
                shape[j] = o
        return cut_off(self.problem, ServerPlan(servers, shape))

    def _add_sums(self) -> None:
        """Add the sums of servers and of brown energy of each epoch."""
        problem = self.problem
        for t in range(problem.epochs):
            self.row(-math.inf, self._servers[t], float(problem.servers))
            for s in range(problem.weight_ppm.size):
                weight = int(problem.weight_ppm[s]) / PPM
                cost = weight * int(problem.brown_cost[t]) / WH_PER_KWH
                brown = self.variable(cost, self._most_wh(t), is_whole=False)
                green = int(problem.green_mj[s, t]) / MJ_PER_WH
                self.row(-math.inf, {**self._energy_wh[t], brown: -1.0}, green)

    def _most_wh(self, t: int) -> float:
        """Energy of an epoch in which every job takes the most, and moves."""
        problem = self.problem
        each_mj = int(problem.power_mw.max()) * int(problem.length_s[t])
        return len(problem.jobs) * (each_mj + int(problem.moves_mj.max())) / MJ_PER_WH


@dataclass(frozen=True)
class _Job:
    """The part of a program that belongs to one job."""

    program: IndexedPlan
    j: int

    @property
    def problem(self) -> ParallelProblem:
        return self.program.problem

    @cached_property
    def epochs(self) -> range:
        """Epochs in which it can run."""
        job, begin = self.problem.jobs[self.j], self.problem.begin_s * MS_PER_S
        upto = int(np.searchsorted(begin, begin[job.latest] + job.deadline_ms))
        return range(job.earliest, min(upto, self.problem.epochs))

    def add(self) -> None:
        job = self.problem.jobs[self.j]
        shapes = range(len(job.shapes))
        chosen = {o: self.program.variable() for o in shapes}
        begun = {a: self.program.variable() for a in range(job.earliest, job.latest + 1)}
        self.program.row(1.0, dict.fromkeys(chosen.values(), 1.0), 1.0)
        self.program.row(1.0, dict.fromkeys(begun.values(), 1.0), 1.0)
        on = {
            (o, level, t): self._column_on(o, level, t)
            for o in shapes
            for t in self.epochs
            for level in range(job.shapes[o].servers.size)
        }
        for o in shapes:
            for t in self.epochs:
                here = {x: 1.0 for (p, _, s), x in on.items() if (p, s) == (o, t)}
                self.program.row(-math.inf, {**here, chosen[o]: -1.0}, 0.0)
            self._add_moves(o, on, begun)
        self._add_order(on, begun)
        for a, start in begun.items():
            self._add_work(on, a, start)

    def _column_on(self, o: int, level: int, t: int) -> int:
        problem = self.problem
        length_s = int(problem.length_s[t])
        servers = int(problem.jobs[self.j].shapes[o].servers[level])
        waiting = problem.run_cost * length_s / (S_PER_H * len(problem.jobs))
        x = self.program.running(self.j, o, level, t, waiting)
        self.program.takes(t, x, servers, int(problem.power_mw[servers]) * length_s)
        return x

    def _add_order(self, on: dict[tuple[int, int, int], int], begun: dict[int, int]) -> None:
        """Let the job run from its start without a break."""
        before: dict[int, float] = {}
        for t in self.epochs:
            here = {x: 1.0 for (_, _, s), x in on.items() if s == t}
            start = {begun[t]: -1.0} if t in begun else {}
            self.program.row(-math.inf, {**here, **dict.fromkeys(before, -1.0), **start}, 0.0)
            if start:
                self.program.row(0.0, {**here, **start}, math.inf)
            before = here

    def _add_work(self, on: dict[tuple[int, int, int], int], a: int, start: int) -> None:
        job, begin = self.problem.jobs[self.j], self.problem.begin_s * MS_PER_S
        work = {}
        for (o, level, t), x in on.items():
            counted = min(int(begin[t + 1]), int(begin[a]) + job.deadline_ms) - int(begin[t])
            if t >= a and counted > 0:
                # More than all of the work counts as all of it, to keep coefficients similar in
                # size.
                done = counted * int(job.shapes[o].speed_ppt[level])
                work[x] = min(done, job.work_left)
        unit = math.gcd(*work.values(), job.work_left) or 1
        terms = {x: float(w // unit) for x, w in work.items()}
        self.program.row(0.0, {**terms, start: -float(job.work_left // unit)}, math.inf)

    def _add_moves(
        self, o: int, on: dict[tuple[int, int, int], int], begun: dict[int, int]
    ) -> None:
        """Flows from level to level, if moving takes energy."""
        counts = [0, *self.problem.jobs[self.j].shapes[o].servers.tolist()]
        moves = self.problem.moves_mj[np.ix_(counts, counts)]
        if not moves.any() and not self.problem.jobs[self.j].present:
            return
        levels = range(len(counts) - 1)
        before: dict[int, int] = {}
        for t in range(self.epochs.start, self.epochs.stop + 1):
            here = {level: on[o, level, t] for level in levels} if t in self.epochs else {}
            self._add_flow(o, t, before, here, begun.get(t))
            before = here

    def _add_flow(
        self, o: int, t: int, before: dict[int, int], here: dict[int, int], start: int | None
    ) -> None:
        """Flow from the levels `before` to those `here`; from none only if the job may start."""
        counts = self.problem.jobs[self.j].shapes[o].servers.tolist()
        present = self.problem.jobs[self.j].present
        into: dict[int | None, dict[int, float]] = defaultdict(dict)
        out: dict[int | None, dict[int, float]] = defaultdict(dict)
        for p in [*before] if start is None else [*before, None]:
            for level in [*here, None]:
                if p is level is None:
                    continue
                origin = counts[p] if p is not None else present if t == 0 else 0
                goal = 0 if level is None else counts[level]
                y = self.program.variable(is_whole=False)
                self.program.takes(t, y, 0, int(self.problem.moves_mj[origin, goal]))
                into[level][y] = out[p][y] = 1.0
        if start is not None:
            self.program.row(-math.inf, {**out[None], start: -1.0}, 0.0)
        for level, x in here.items():
            self.program.row(0.0, {**into[level], x: -1.0}, 0.0)
        for p, x in before.items():
            self.program.row(0.0, {**out[p], x: -1.0}, 0.0)


def cut_off(problem: ParallelProblem, plan: ServerPlan) -> ServerPlan:
    """Remove the servers that a plan gives a job after its work is done."""
    servers = plan.servers.copy()
    for j, job in enumerate(problem.jobs):
        shape = job.shapes[plan.shape[j]]
        speed = dict(zip(shape.servers.tolist(), shape.speed_ppt.tolist(), strict=True))
        speeds = np.array([speed.get(n, 0) for n in servers[j].tolist()])
        done = np.cumsum(speeds * problem.length_s * MS_PER_S)
        servers[j, 1 + int(np.searchsorted(done, job.work_left)) :] = 0
    return ServerPlan(servers, plan.shape)
