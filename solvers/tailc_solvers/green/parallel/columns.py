"""Plan malleable jobs by column generation: a linear program sets prices, jobs choose schedules.

Each round solves the master's linear program over the known schedules, with the last basis as its
start. Then each job's cheapest schedule is computed, at prices between those of the best bound and
those of the program (Wentges 1997). Every set of prices proves a bound. After the rounds, the
schedule with the largest share of each job is repaired and improved (`search`), and one of the
known schedules is chosen for each job (`exchange`). Branching on run times and shapes of jobs
closes the gap: if the program mixes schedules of different lengths, one branch allows only the
shorter schedules of a job, the other only the longer ones.

Source: column generation as in Barnhart et al., Operations Research 46 (1998); the problem is that
of Haque (2016), Appendix B.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np

from tailc_solvers.backends.adapters import Solver
from tailc_solvers.backends.check import AnswerTrust, AnswerVerdict
from tailc_solvers.backends.linear import BackendLimits, SolverAnswer, SolverOutcome
from tailc_solvers.course import SearchProgress
from tailc_solvers.green.parallel.check import faults_of_column
from tailc_solvers.green.parallel.exchange import Exchange
from tailc_solvers.green.parallel.kernels import NEVER
from tailc_solvers.green.parallel.master import Master, Multipliers, PricedSchedules
from tailc_solvers.green.parallel.mixture import Mixture
from tailc_solvers.green.parallel.parts import NANO
from tailc_solvers.green.parallel.problem import MS_PER_S, ParallelProblem
from tailc_solvers.green.parallel.rows import Allowed
from tailc_solvers.green.parallel.schedules import (
    ROUNDING,
    Column,
    Rules,
    SchedulePrices,
    Schedules,
)
from tailc_solvers.green.parallel.search import PlacedJobs, improve_schedules
from tailc_solvers.green.parallel.solution import (
    CostBounds,
    Ending,
    ParallelSolution,
    checked_solution,
    none_of,
)

FIRST_SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Initial prices of energy, as shares of the price of brown energy."""

FIRST_PICK = 4
"""Number of nodes after which schedules are selected for the first time."""

PICKED_SHARE = 1 / 4
"""Share of the gap: only schedules whose excess is within it are selected."""

MOST_PICKED = 1_000
"""Most schedules that are selected, those with the least excess first."""

TRUST = 0.5
"""Step from the prices of the best bound towards those of the program, as a share."""

CLOSE = 1 / 20
"""Share of the requested gap within which a program counts as solved."""


@dataclass(frozen=True)
class ColumnsEffort:
    """Limits of the search, counted in steps and not in time, so that results are reproducible.

    Attributes:
        aim: relative gap between cost and bound at which the search stops.
        rounds: largest number of linear programs before branching.
        nodes: largest number of nodes of the search tree.
        rounds_a_node: largest number of linear programs in each node.
        starts: number of starts of `exchange`, which picks a schedule for each job, at the root and
            each time that the number of nodes has doubled; 0 to skip it.
        passes: largest number of passes in which jobs are rescheduled one by one.
        cells: largest number of units in which the work of one job is counted.
    """

    aim: float = 0.005
    rounds: int = 60
    nodes: int = 200
    rounds_a_node: int = 6
    starts: int = 20
    passes: int = 10
    cells: int = 100_000


@dataclass(frozen=True, eq=False)
class ColumnsSolution:
    """The plan of a search by column generation, with data to start the next search from.

    Attributes:
        solution: the plan, its bound and gap.
        columns: all schedules of the search.
        prices: prices of servers and energy that prove the bound; None if no job can run.
        nodes: number of nodes of the search tree, without its root.
        course: bound and cost of the best plan [micro-units] by number of linear programs, at each
            improvement.
    """

    solution: ParallelSolution
    columns: tuple[Column, ...] = ()
    prices: SchedulePrices | None = None
    nodes: int = 0
    course: tuple[SearchProgress, ...] = ()


def solve_columns(
    problem: ParallelProblem,
    solver: Solver,
    *,
    effort: ColumnsEffort | None = None,
    limits: BackendLimits | None = None,
    warm: Sequence[Column] = (),
) -> ColumnsSolution:
    """Plan the jobs by column generation, with a lower bound proved independently of the solver.

    A solver that fails ends the search: the result until then is returned, with the solver's
    outcome. If its multipliers do not prove its optimum there is no plan. Schedules in `warm` that
    do not belong to this problem are ignored.
    """
    schedules = Schedules(problem, (effort or ColumnsEffort()).cells)
    for j in schedules.never[:1]:
        message = f"job {j} cannot end by its deadline and within the epochs"
        return ColumnsSolution(none_of(Ending.NONE_EXISTS, None, message))
    search = _ColumnSearch(schedules, solver, effort or ColumnsEffort(), limits or BackendLimits())
    search.begin(warm)
    search.descend()
    return search.result()


@dataclass(order=True)
class _Node:
    """Plans under rules, none of which costs less than `bound`; mixture None if not solved yet."""

    bound: int
    number: int
    rules: Rules = field(compare=False)
    multipliers: Multipliers = field(compare=False)
    priced: PricedSchedules = field(compare=False)
    mixture: Mixture | None = field(compare=False, default=None)


class _ColumnSearch:
    def __init__(
        self, schedules: Schedules, solver: Solver, effort: ColumnsEffort, limits: BackendLimits
    ) -> None:
        self.problem = schedules.problem
        self.schedules = schedules
        self.solver, self.effort, self.limits = solver, effort, limits
        self.master = Master(schedules)
        self.close = CLOSE * effort.aim
        self.best: list[Column] | None = None
        self.cost = math.inf
        self.outcome: SolverOutcome | None = None
        self.message = ""
        self.is_refuted = False
        self.root: _Node | None = None
        self.open: list[_Node] = []
        self.count = self.picked = self.programs = 0
        self.course: list[SearchProgress] = []

    def begin(self, warm: Sequence[Column]) -> None:
        """Solve the root, and plan without any solver."""
        known = [c for c in warm if not faults_of_column(self.problem, c)]
        self.master.add(known)
        self.master.add(_requested_columns(self.problem))
        first = self._first()
        self._try_first_of(first.priced.columns)
        self.root = self._solve_node(first, self.effort.rounds)
        self._try_most(self.root)
        for columns in (known, _requested_columns(self.problem)):
            if self.best is None:
                self._try_first_of(columns)
        heapq.heappush(self.open, self.root)
        self._note(self.bound)
        if not self._is_done():
            self._pick()

    def descend(self) -> None:
        """Split the node of the least bound until the gap is small enough."""
        while self.open and not self._is_done() and self.count < self.effort.nodes:
            node = self.open[0]
            rules = node.mixture.splitting_rules(node.rules) if node.mixture else []
            if not rules or self.outcome is not None:
                return
            heapq.heappop(self.open)
            for kid in rules:
                self._descend_to(node, kid)
            self._note(self.bound)
            if self.count >= self.picked + max(self.picked, FIRST_PICK) and not self._is_done():
                self.picked = self.count
                self._pick()

    @property
    def bound(self) -> int:
        """Bound of all plans, in billionths; equal to the cost if no node is open."""
        least = min((node.bound for node in self.open), default=int(NEVER))
        # The cost is a sum of numbers that were rounded down.
        own = self.cost if math.isinf(self.cost) else math.floor(self.cost * (1 - ROUNDING))
        return int(min(least, own))

    def result(self) -> ColumnsSolution:
        assert self.root is not None
        prices = self.master.prices(self.root.multipliers)
        kept = tuple(self.master.columns)
        bound = Fraction(max(self.bound, 0), NANO)
        if self.is_refuted:
            refused = none_of(Ending.REFUSED, self.outcome, self.message)
            return ColumnsSolution(refused, kept, prices, self.count)
        if self.best is not None:
            plan = self._site(self.best).plan()
            found = checked_solution(self.problem, plan, CostBounds(bound), self.outcome)
            explained = replace(found, message=self.message)
            return ColumnsSolution(explained, kept, prices, self.count, tuple(self.course))
        is_proved = self.bound >= NEVER or bound > Fraction(self.master.most_cost)
        if is_proved:
            message = "the jobs do not fit on the servers within their deadlines"
            none = none_of(Ending.NONE_EXISTS, self.outcome, message)
            return ColumnsSolution(none, kept, prices, self.count)
        message = self.message or "no plan was found, and none is excluded"
        return ColumnsSolution(
            none_of(Ending.NO_PLAN, self.outcome, message), kept, prices, self.count
        )

    def _first(self) -> _Node:
        """The node with the best of the initial prices."""
        nodes = []
        for number, share in enumerate(FIRST_SHARES):
            multipliers = self.master.of_brown(share)
            priced = self.master.price(multipliers, {})
            self.master.add(priced.columns)
            nodes.append(_Node(priced.bound, -number, {}, multipliers, priced))
        return max(nodes)

    def _solve_node(self, node: _Node, rounds: int) -> _Node:
        """The node with a better bound, and the mixture that proves it."""
        for _ in range(rounds if self.outcome is None else 0):
            allowed = self.master.obeying(node.rules)
            program = self.master.program(allowed)
            answer = self.solver.answer(program, self.limits)
            self.programs += 1
            verdict = self.master.check(program, answer)
            found = self.master.multipliers(answer) if verdict.trust is AnswerTrust.PROVED else None
            if found is None:
                return self._failed_node(node, answer, verdict)
            node.mixture = self._mixture(answer, allowed)
            broken = self.master.take_up(answer, allowed)
            new = self._price(node, node.multipliers.between(found, TRUST))
            if new == 0:
                new = self._price(node, found)
            if not node.rules:
                self._note(node.bound)
            least = NANO * self.master.objective(answer)
            is_close = least - node.bound <= self.close * abs(node.bound)
            if self._is_far(node) or (broken == 0 and (new == 0 or is_close)):
                break
        return node

    def _price(self, node: _Node, multipliers: Multipliers) -> int:
        """Search the schedules of all jobs at some prices; return the number of new schedules."""
        priced = self.master.price(multipliers, node.rules)
        if priced.bound > node.bound:
            node.bound, node.multipliers, node.priced = priced.bound, multipliers, priced
        return self.master.add(priced.columns)

    def _failed_node(self, node: _Node, answer: SolverAnswer, verdict: AnswerVerdict) -> _Node:
        self.outcome = answer.outcome
        # Jobs may lack schedules and no cost is negative, so every program has an optimum.
        denies_it = answer.outcome in (SolverOutcome.INFEASIBLE, SolverOutcome.UNBOUNDED)
        self.is_refuted = verdict.trust is AnswerTrust.REFUTED or denies_it
        denial = "it denies that there is an optimum, and there is one"
        self.message = denial if denies_it else verdict.reason(answer)
        return node

    def _descend_to(self, parent: _Node, rules: Rules) -> None:
        self.count += 1
        changed = [j for j, rule in rules.items() if rule != parent.rules.get(j)]
        priced = self.master.reprice(parent.priced, parent.multipliers, rules, changed)
        self.master.add(priced.columns)
        bound = max(parent.bound, priced.bound)
        kid = _Node(bound, self.count, rules, parent.multipliers, priced)
        kid = self._solve_node(kid, self.effort.rounds_a_node)
        if kid.bound < self.cost:
            heapq.heappush(self.open, kid)

    def _try_first_of(self, columns: Sequence[Column]) -> None:
        """Try the first schedule of each job."""
        self._try(Mixture(self.problem, columns, [1.0] * len(columns)).most())

    def _try_most(self, node: _Node) -> None:
        """Try the schedules with the largest shares in a node's mixture."""
        self._try(node.mixture.most() if node.mixture else None)

    def _try(self, columns: Sequence[Column] | None) -> None:
        """Repair and improve a choice of schedules; keep the best plan."""
        if columns is None:
            return
        site = self._site(columns)
        improve_schedules(site, self.effort.passes)
        found = site.columns
        self.master.add(found)
        if site.fits() and site.cost() < self.cost:
            self.best, self.cost = sorted(found, key=lambda column: column.job), site.cost()
            self._note(None)

    def _note(self, bound: int | None) -> None:
        """Add a point to the convergence trace if it improved; `bound` None: unchanged."""
        before = self.course[-1] if self.course else SearchProgress(0, -math.inf, math.inf)
        proved = before.bound if bound is None else max(before.bound, bound / NANO)
        now = SearchProgress(self.programs, proved, self.cost / NANO)
        if now[1:] != before[1:]:
            self.course.append(now)

    def _pick(self) -> None:
        """Pick one of the schedules so far for each job, by the mixture of the least bound."""
        root = self.root
        if root is None or root.mixture is None or not self.effort.starts:
            return
        mixture = (self.open[0].mixture if self.open else None) or root.mixture
        excess = self._promising(root)
        if len({column.job for column in excess}) == len(self.problem.jobs):
            exchange = Exchange(self.problem, excess, root.bound)
            self._try(exchange.best(mixture.shares, self.effort.starts))

    def _promising(self, root: _Node) -> dict[Column, float]:
        """Schedules that may be in a better plan, with their excess at the prices of the root."""
        most = (self.cost - self.bound) * PICKED_SHARE
        excess = dict(zip(self.master.columns, self.master.excess(root.multipliers), strict=True))
        least = sorted(excess, key=lambda column: excess[column])[:MOST_PICKED]
        found = {column: excess[column] for column in least if excess[column] <= most}
        return found | {column: excess[column] for column in self.best or ()}

    def _mixture(self, answer: SolverAnswer, allowed: Allowed) -> Mixture | None:
        shares = self.master.shares(answer, allowed)
        if shares is None:
            return None
        return Mixture(self.problem, self.master.columns, shares.tolist())

    def _site(self, columns: Sequence[Column]) -> PlacedJobs:
        site = PlacedJobs(self.schedules)
        for column in columns:
            site.put(column)
        return site

    def _is_far(self, node: _Node) -> bool:
        """Whether no plan of the node can be a significant improvement."""
        return node.bound >= self.cost * (1 - self.effort.aim)

    def _is_done(self) -> bool:
        is_planned = math.isfinite(self.cost)
        return is_planned and self.cost - self.bound <= self.effort.aim * self.cost


def _requested_columns(problem: ParallelProblem) -> list[Column]:
    """The requested servers from the earliest start to the end, for each job that allows it."""
    columns = []
    for j, job in enumerate(problem.jobs):
        for o, shape in enumerate(job.shapes):
            at = np.flatnonzero(shape.servers == job.requested)
            if at.size:
                speed = int(shape.speed_ppt[at[0]])
                done = speed * MS_PER_S * (problem.begin_s - problem.begin_s[job.earliest])
                length = int(np.searchsorted(done, job.work_left)) - job.earliest
                column = Column(j, o, job.earliest, (job.requested,) * length)
                columns += [] if faults_of_column(problem, column) else [column]
    return columns
