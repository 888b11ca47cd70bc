"""Plans from schedules: a master program prices servers and energy, jobs answer with schedules.

Each round solves the master's linear program over the schedules so far and asks each job for its
least schedule at the program's prices, moved half way from the prices of the best bound so far
(Wentges 1997). Every set of prices proves a bound. Then the schedules that have most of each job
are mended and improved job by job (`search`), and a tree of rules on how long jobs run and which
shape they have closes the gap: where the program mixes schedules of different lengths, one branch
has the shorter and the other the longer ones.

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
from tailc_solvers.backends.linear import Answer, Limits, Outcome
from tailc_solvers.green.parallel.check import faults_of_column
from tailc_solvers.green.parallel.kernels import NEVER
from tailc_solvers.green.parallel.master import Master, Multipliers
from tailc_solvers.green.parallel.mixture import Mixture, Rules
from tailc_solvers.green.parallel.problem import MS_PER_S, ParallelProblem
from tailc_solvers.green.parallel.schedules import NANO, ROUNDING, Column, Prices, Schedules
from tailc_solvers.green.parallel.search import Site, improved
from tailc_solvers.green.parallel.solution import Ending, Solution, judged, none_of

FIRST_SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Prices to begin with, in what brown energy costs."""

FIRST_PICK = 8
"""Nodes after which a solver picks again."""

PICKED_SHARE = 1 / 4
"""Of the gap: a solver picks from schedules in plans that have no more of it left."""

CLOSE = 1e-6
"""Relative: a program this close above a bound has no more to give."""


@dataclass(frozen=True)
class Effort:
    """How far to go. All of it is counted, so that the same problem has the same answer.

    Attributes:
        aim: relative gap to stop at.
        rounds: linear programs before branching.
        nodes: of the tree.
        rounds_a_node: linear programs in each.
        whole_nodes: of a solver's own tree that picks a schedule for each job, at the root and
            each time that the nodes have doubled since; 0 for none.
        passes: of the search job by job.
        cells: units of work of one job.
    """

    aim: float = 0.005
    rounds: int = 60
    nodes: int = 200
    rounds_a_node: int = 6
    whole_nodes: int = 20
    passes: int = 10
    cells: int = 100_000


@dataclass(frozen=True, eq=False)
class Columns:
    """A solution and what the next one can begin with.

    Attributes:
        solution: the plan, its bound and gap.
        columns: schedules that were tried.
        prices: of servers and energy, behind the bound of all plans; None where no job can run.
        nodes: of the tree, without its root.
    """

    solution: Solution
    columns: tuple[Column, ...] = ()
    prices: Prices | None = None
    nodes: int = 0


def solve_columns(
    problem: ParallelProblem,
    solver: Solver,
    *,
    effort: Effort | None = None,
    limits: Limits | None = None,
    warm: Sequence[Column] = (),
) -> Columns:
    """A plan, with a bound that is proved whatever the solver says.

    A solver that fails ends the search: what has been found until then is returned, its outcome
    beside it. Schedules of `warm` that are none of this problem are left out.
    """
    schedules = Schedules(problem, (effort or Effort()).cells)
    for j, runs in enumerate(schedules.runs):
        if not runs:
            message = f"job {j} cannot end by its deadline and within the epochs"
            return Columns(none_of(Ending.NONE_EXISTS, None, message))
    search = _Search(schedules, solver, effort or Effort(), limits or Limits())
    search.begin(warm)
    search.descend()
    return search.result()


@dataclass(order=True)
class _Node:
    """Plans under rules: none costs less than `bound`; None where nothing has been mixed."""

    bound: int
    number: int
    rules: Rules = field(compare=False)
    multipliers: Multipliers = field(compare=False)
    mixture: Mixture | None = field(compare=False, default=None)


class _Search:
    def __init__(
        self, schedules: Schedules, solver: Solver, effort: Effort, limits: Limits
    ) -> None:
        self.problem = schedules.problem
        self.schedules = schedules
        self.solver, self.effort, self.limits = solver, effort, limits
        self.master = Master(schedules)
        self.best: list[Column] | None = None
        self.cost = math.inf
        self.outcome: Outcome | None = None
        self.message = ""
        self.root: _Node | None = None
        self.open: list[_Node] = []
        self.count = self.picked = 0

    def begin(self, warm: Sequence[Column]) -> None:
        """Solve the root, and plan once without any solver."""
        self.master.add(c for c in warm if not faults_of_column(self.problem, c))
        self.master.add(_requested(self.problem))
        first = self._first()
        columns = self.master.priced(first.multipliers, {}).columns
        self._try(Mixture(self.problem, columns, [1.0] * len(columns)))
        self.root = self._solved(first, self.effort.rounds)
        self._try(self.root.mixture)
        heapq.heappush(self.open, self.root)
        if not self._is_done():
            self._try_whole()

    def descend(self) -> None:
        """Split the node of the least bound until the gap is as wanted."""
        while self.open and not self._is_done() and self.count < self.effort.nodes:
            node = self.open[0]
            rules = node.mixture.parted(node.rules) if node.mixture else []
            if not rules or self.outcome is not None:
                return
            heapq.heappop(self.open)
            for kid in rules:
                self._descend_to(node, kid)
            if self.count >= self.picked + max(self.picked, FIRST_PICK) and not self._is_done():
                self.picked = self.count
                self._try_whole()

    @property
    def bound(self) -> int:
        """Of all plans, in billionths; the cost itself where nothing is open."""
        least = min((node.bound for node in self.open), default=int(NEVER))
        # The cost is a sum of rounded numbers: less than it is, by more than they round.
        own = self.cost if math.isinf(self.cost) else math.floor(self.cost * (1 - ROUNDING))
        return int(min(least, own))

    def result(self) -> Columns:
        assert self.root is not None
        prices = self.master.prices(self.root.multipliers)
        kept = tuple(self.master.columns)
        bound = Fraction(max(self.bound, 0), NANO)
        if self.best is not None:
            plan = self._site(self.best).plan()
            found = judged(self.problem, plan, bound=bound, outcome=self.outcome)
            return Columns(replace(found, message=self.message), kept, prices, self.count)
        is_proved = self.bound >= NEVER or bound > Fraction(self.master.most_cost)
        if is_proved:
            message = "the jobs do not fit on the servers within their deadlines"
            none = none_of(Ending.NONE_EXISTS, self.outcome, message)
            return Columns(none, kept, prices, self.count)
        message = self.message or "no plan was found, and none is excluded"
        return Columns(none_of(Ending.NO_PLAN, self.outcome, message), kept, prices, self.count)

    def _first(self) -> _Node:
        """The best of the first prices."""
        nodes = []
        for number, share in enumerate(FIRST_SHARES):
            multipliers = self.master.of_brown(share)
            priced = self.master.priced(multipliers, {})
            self.master.add(priced.columns)
            nodes.append(_Node(priced.bound, -number, {}, multipliers))
        return max(nodes)

    def _solved(self, node: _Node, rounds: int) -> _Node:
        """The node with a better bound, and the mixture behind it."""
        for _ in range(rounds if self.outcome is None else 0):
            kept = self.master.obeying(node.rules)
            answer = self._answer(kept, is_whole=False)
            found = self.master.multipliers(answer)
            if found is None or answer.objective is None:
                return self._failed(node, answer)
            node.mixture = self._mixture(answer, kept)
            broken = self.master.take_up(answer, kept)
            new = self._price(node, node.multipliers.between(found, 1 / 2))
            if new == 0:
                new = self._price(node, found)
            is_close = NANO * answer.objective - node.bound <= CLOSE * abs(node.bound)
            if node.bound >= self.cost or (broken == 0 and (new == 0 or is_close)):
                break
        return node

    def _price(self, node: _Node, multipliers: Multipliers) -> int:
        """Ask all jobs at some prices; how many schedules are new."""
        priced = self.master.priced(multipliers, node.rules)
        if priced.bound > node.bound:
            node.bound, node.multipliers = priced.bound, multipliers
        return self.master.add(priced.columns)

    def _answer(self, kept: Sequence[int], *, is_whole: bool) -> Answer:
        program = self.master.program(kept, is_whole=is_whole)
        nodes = min(self.limits.nodes, self.effort.whole_nodes)
        limits = replace(self.limits, nodes=nodes) if is_whole else self.limits
        return self.solver.answer(program, limits)

    def _failed(self, node: _Node, answer: Answer) -> _Node:
        self.outcome = answer.outcome
        self.message = answer.message or "the solver gave no multipliers"
        return node

    def _descend_to(self, parent: _Node, rules: Rules) -> None:
        self.count += 1
        kid = _Node(parent.bound, self.count, rules, parent.multipliers)
        self._price(kid, parent.multipliers)
        kid = self._solved(kid, self.effort.rounds_a_node)
        if kid.bound < self.cost:
            self._try(kid.mixture)
            heapq.heappush(self.open, kid)

    def _try(self, mixture: Mixture | None) -> None:
        """Mend and improve the schedules that have most of each job; keep the best plan."""
        columns = mixture.most() if mixture else None
        if columns is None:
            return
        site = self._site(columns)
        improved(site, self.effort.passes)
        found = list(site.columns.values())
        self.master.add(found)
        if site.fits() and site.cost() < self.cost:
            self.best, self.cost = sorted(found, key=lambda column: column.job), site.cost()

    def _try_whole(self) -> None:
        """Have the solver pick one of the schedules so far for each job."""
        if self.root is not None and self.effort.whole_nodes and self.outcome is None:
            wanted = (self.cost - self.bound) * PICKED_SHARE
            kept = self.master.within(self.root.multipliers, wanted)
            self._try(self._mixture(self._answer(kept, is_whole=True), kept))

    def _mixture(self, answer: Answer, kept: Sequence[int]) -> Mixture | None:
        shares = self.master.shares(answer, kept)
        if shares is None:
            return None
        columns = [self.master.columns[k] for k in kept]
        return Mixture(self.problem, columns, shares.tolist())

    def _site(self, columns: Sequence[Column]) -> Site:
        site = Site(self.schedules)
        for column in columns:
            site.put(column)
        return site

    def _is_done(self) -> bool:
        return self.cost - self.bound <= self.effort.aim * self.cost


def _requested(problem: ParallelProblem) -> list[Column]:
    """The requested servers from the earliest start to the end, for each job that may have them."""
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
