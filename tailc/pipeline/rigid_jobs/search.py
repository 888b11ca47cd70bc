"""Place jobs on racks by one of three methods, with a bound proved from multipliers.

Jobs are placed one after another (ARRIVAL), then improved by simulated annealing (ANNEAL), or
placed all at once by a mixed-integer program (MIP). Every plan is checked in whole numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

from tailc_solvers.backends.adapters import Backend, Solver
from tailc_solvers.backends.check import Tolerances, Trust
from tailc_solvers.backends.linear import Outcome
from tailc_solvers.green.sla.admission import prove_admission
from tailc_solvers.green.sla.anneal import Schedule, anneal
from tailc_solvers.green.sla.arrival import admitting, by_pay, in_order
from tailc_solvers.green.sla.check import figures_of
from tailc_solvers.green.sla.flow import turned_away
from tailc_solvers.green.sla.horizon import solve_admission, solve_horizon
from tailc_solvers.green.sla.problem import Job, Plan
from tailc_solvers.green.sla.reduced import solve_reduced
from tailc_solvers.green.sla.solution import Solution, proposed

from tailc.errors import Code, Finding, TailcError
from tailc.pipeline.plan_solvers import failed, limits_of
from tailc.pipeline.rigid_jobs.formulation import Stated
from tailc.problems.plan import PlanMethod

# Largest number of optional jobs whose best admission is proved: the search enumerates sets.
MOST_PROVED = 12


@dataclass(frozen=True, eq=False)
class RacksSearch:
    """A search for the places of the known jobs. prices: a solver that gives multipliers."""

    stated: Stated
    prices: Solver

    def found(self) -> Solution:
        """A plan that passes every check; TailcError if there is none."""
        if not self.jobs:
            return turned_away(self.stated.groups, [])
        if self.stated.problem.method is PlanMethod.MIP:
            return self._by_program()
        start = self._one_by_one()
        if self.stated.problem.method is PlanMethod.ARRIVAL:
            return self._checked(proposed(self.stated.groups, self.jobs, start, self.bound))
        search = self.stated.problem.search
        schedule = Schedule(steps=search.steps, seed=search.seed)
        return self._checked(
            anneal(self.stated.groups, self.jobs, start, schedule, bound=self.bound)
        )

    @cached_property
    def jobs(self) -> list[Job]:
        """The jobs in the solvers' format."""
        return self.stated.jobs(self.stated.problem.jobs)

    @property
    def bound(self) -> float:
        """Upper bound on the value of every plan."""
        return self._admission[0]

    @cached_property
    def _admission(self) -> tuple[float, tuple[bool, ...]]:
        """A bound on the value of every plan, and the jobs to admit if moves were free.

        For few jobs the best admission and its bound are proved. For many, the bound is that of the
        relaxation with parts of jobs, and a general solver chooses the admission.
        """
        limits = limits_of(self.stated.problem.search)
        if sum(not job.must_run for job in self.jobs) <= MOST_PROVED:
            proved = prove_admission(self.stated.groups, self.jobs, self.prices, limits)
            if proved.outcome is not Outcome.OPTIMAL or proved.trust is Trust.REFUTED:
                raise failed(self.prices.backend, proved.outcome, proved.trust, proved.message)
            if not math.isfinite(proved.bound):
                told = "its multipliers prove nothing"
                raise failed(self.prices.backend, proved.outcome, Trust.REFUTED, told)
            return proved.bound, proved.admitted or self._begun
        found = solve_horizon(self.stated.groups, self.jobs, self.prices, limits)
        if found.outcome is not Outcome.OPTIMAL or found.trust is Trust.REFUTED:
            raise failed(self.prices.backend, found.outcome, found.trust, found.message)
        return found.bound, self._admitted()

    def _admitted(self) -> tuple[bool, ...]:
        """The admission chosen by a general solver.

        Only begun jobs if a node limit ends its search.
        """
        search = self.stated.problem.search
        with Solver(Backend(search.solver)) as solver:
            found = solve_admission(self.stated.groups, self.jobs, solver, limits_of(search))
        has_failed = not found.outcome.has_point and found.outcome is not Outcome.LIMIT
        if has_failed or found.trust is Trust.REFUTED:
            raise failed(solver.backend, found.outcome, found.trust, found.message)
        plan = in_order(self.stated.groups, self.jobs, by_pay(self.jobs))
        if plan is not None and found.outcome.claims_best:
            value = figures_of(self.stated.groups, self.jobs, plan).value
            if Tolerances().above(value, found.claimed_bound):
                told = "it calls jobs the best to admit, and others are worth more"
                raise failed(solver.backend, found.outcome, Trust.REFUTED, told)
        return found.admitted or self._begun

    @property
    def _begun(self) -> tuple[bool, ...]:
        return tuple(job.must_run for job in self.jobs)

    def _one_by_one(self) -> Plan:
        """Place jobs that must run, then admitted jobs, then others, each group by pay."""
        plan = admitting(self.stated.groups, self.jobs, self._admission[1])
        if plan is None:
            message = "jobs that have begun, placed one after another, do not all find room"
            raise TailcError(Finding(Code.INFEASIBLE, message, help="use the method `mip`"))
        return plan

    def _by_program(self) -> Solution:
        search = self.stated.problem.search
        with Solver(Backend(search.solver)) as solver:
            found = solve_reduced(self.stated.groups, self.jobs, solver, limits_of(search))
        if found.plan is None:
            told = "; ".join(found.faults) or found.message
            raise failed(solver.backend, found.outcome, found.trust, told)
        if found.outcome.claims_best and self._is_beaten(found):
            told = "it calls a plan the best, and another one is worth more"
            raise failed(solver.backend, found.outcome, Trust.REFUTED, told)
        return replace(found, bound=min(found.bound, self.bound))

    def _is_beaten(self, found: Solution) -> bool:
        """Whether placing jobs one after another has a higher value, beyond rounding."""
        groups = self.stated.groups
        plan = admitting(groups, self.jobs, self._admission[1])
        if plan is None or found.figures is None:
            return False
        value = figures_of(groups, self.jobs, plan).value
        return Tolerances().above(value - groups.epochs, found.figures.value)

    def _checked(self, found: Solution) -> Solution:
        assert found.plan is not None, found.faults
        return found
