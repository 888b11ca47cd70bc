"""Place jobs on racks by one of three methods, with an upper bound from dual prices.

Jobs are placed one after another (ARRIVAL), then improved by simulated annealing (ANNEAL), or
placed all at once by a mixed-integer program (MIP). Every plan is checked in whole numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

from tailc_solvers.backends.adapters import Backend, Solver
from tailc_solvers.backends.check import AnswerTrust, Tolerances
from tailc_solvers.backends.linear import SolverOutcome
from tailc_solvers.green.sla.admission import prove_admission
from tailc_solvers.green.sla.anneal import AnnealingSchedule, anneal
from tailc_solvers.green.sla.arrival import admitting, by_pay, in_order
from tailc_solvers.green.sla.check import figures_of
from tailc_solvers.green.sla.flow import turned_away
from tailc_solvers.green.sla.horizon import solve_admission, solve_horizon
from tailc_solvers.green.sla.problem import Job, Plan
from tailc_solvers.green.sla.reduced_program import solve_reduced
from tailc_solvers.green.sla.solution import PlacementSolution, solution_of_plan

from tailc.errors import Code, Finding, TailcError
from tailc.pipeline.plan_solvers import solver_error, solver_limits
from tailc.pipeline.rigid_jobs.formulation import RacksFormulation
from tailc.problems.plan import PlanMethod

# Largest number of optional jobs whose best admission is proved: the search enumerates sets.
MOST_PROVED = 12


@dataclass(frozen=True, eq=False)
class RacksSearch:
    """A search for the servers of the known jobs. prices: a solver that gives dual prices."""

    formulation: RacksFormulation
    prices: Solver

    def run(self) -> PlacementSolution:
        """Search for a plan that passes every check; TailcError if there is none."""
        if not self.jobs:
            return turned_away(self.formulation.groups, [])
        if self.formulation.problem.method is PlanMethod.MIP:
            return self._by_program()
        start = self._one_by_one()
        if self.formulation.problem.method is PlanMethod.ARRIVAL:
            return self._check_solution(
                solution_of_plan(self.formulation.groups, self.jobs, start, self.bound)
            )
        search = self.formulation.problem.search
        schedule = AnnealingSchedule(steps=search.steps, seed=search.seed)
        return self._check_solution(
            anneal(self.formulation.groups, self.jobs, start, schedule, bound=self.bound)
        )

    @cached_property
    def jobs(self) -> list[Job]:
        """The known jobs in the solvers' format."""
        return self.formulation.jobs(self.formulation.problem.jobs)

    @property
    def bound(self) -> float:
        """Upper bound on the value of every plan of these jobs."""
        return self._admission[0]

    @cached_property
    def _admission(self) -> tuple[float, tuple[bool, ...]]:
        """A bound on the value of every plan, and the jobs to admit if moves were free.

        For few jobs the best admission and its bound are proved. For many, the bound is that of the
        relaxation with parts of jobs, and a general solver chooses the admission.
        """
        limits = solver_limits(self.formulation.problem.search)
        if sum(not job.must_run for job in self.jobs) <= MOST_PROVED:
            proved = prove_admission(self.formulation.groups, self.jobs, self.prices, limits)
            if proved.outcome is not SolverOutcome.OPTIMAL or proved.trust is AnswerTrust.REFUTED:
                raise solver_error(
                    self.prices.backend, proved.outcome, proved.trust, proved.message
                )
            if not math.isfinite(proved.bound):
                reason = "its multipliers give no bound"
                raise solver_error(self.prices.backend, proved.outcome, AnswerTrust.REFUTED, reason)
            return proved.bound, proved.admitted or self._running_jobs
        result = solve_horizon(self.formulation.groups, self.jobs, self.prices, limits)
        if result.outcome is not SolverOutcome.OPTIMAL or result.trust is AnswerTrust.REFUTED:
            raise solver_error(self.prices.backend, result.outcome, result.trust, result.message)
        return result.bound, self._choose_admission()

    def _choose_admission(self) -> tuple[bool, ...]:
        """The admission chosen by a general solver.

        Only begun jobs if a node limit ends its search.
        """
        search = self.formulation.problem.search
        with Solver(Backend(search.solver)) as solver:
            result = solve_admission(
                self.formulation.groups, self.jobs, solver, solver_limits(search)
            )
        has_failed = not result.outcome.has_point and result.outcome is not SolverOutcome.LIMIT
        if has_failed or result.trust is AnswerTrust.REFUTED:
            raise solver_error(solver.backend, result.outcome, result.trust, result.message)
        plan = in_order(self.formulation.groups, self.jobs, by_pay(self.jobs))
        if plan is not None and result.outcome.claims_best:
            value = figures_of(self.formulation.groups, self.jobs, plan).value
            if Tolerances().above(value, result.claimed_bound):
                reason = "it calls a set of admitted jobs optimal, but another set is worth more"
                raise solver_error(solver.backend, result.outcome, AnswerTrust.REFUTED, reason)
        return result.admitted or self._running_jobs

    @property
    def _running_jobs(self) -> tuple[bool, ...]:
        return tuple(job.must_run for job in self.jobs)

    def _one_by_one(self) -> Plan:
        """Place jobs that must run, then admitted jobs, then others, each group by pay."""
        plan = admitting(self.formulation.groups, self.jobs, self._admission[1])
        if plan is None:
            message = "the heuristic finds no places for all running jobs"
            raise TailcError(Finding(Code.INFEASIBLE, message, help="use the method `mip`"))
        return plan

    def _by_program(self) -> PlacementSolution:
        search = self.formulation.problem.search
        with Solver(Backend(search.solver)) as solver:
            result = solve_reduced(
                self.formulation.groups, self.jobs, solver, solver_limits(search)
            )
        other = self._second_plan()
        if (contradiction := _contradiction(result, other)) is not None:
            raise solver_error(solver.backend, result.outcome, AnswerTrust.REFUTED, contradiction)
        if result.outcome is SolverOutcome.LIMIT and other is not None:
            result = other
        if result.plan is None:
            reason = "; ".join(result.faults) or result.message
            raise solver_error(solver.backend, result.outcome, result.trust, reason)
        best = result if other is None else max(result, other, key=_value)
        return replace(best, bound=min(result.bound, self.bound), course=result.course)

    def _second_plan(self) -> PlacementSolution | None:
        """The plan that places jobs one after another; None if that finds none."""
        groups = self.formulation.groups
        plan = admitting(groups, self.jobs, self._admission[1])
        return None if plan is None else solution_of_plan(groups, self.jobs, plan)

    def _check_solution(self, result: PlacementSolution) -> PlacementSolution:
        assert result.plan is not None, result.faults
        return result


def _value(solution: PlacementSolution) -> int:
    assert solution.figures is not None
    return solution.figures.value


def _contradiction(result: PlacementSolution, other: PlacementSolution | None) -> str | None:
    """How the plan of another method refutes what a general solver claims; None if it does not.

    Bills are rounded up in each epoch, so values differ by up to a micro-dollar an epoch.
    """
    if other is None or other.figures is None:
        return None
    if result.outcome is SolverOutcome.INFEASIBLE:
        return "it claims that there is no plan, but there is one"
    most = other.figures.value - other.groups.epochs
    is_best = result.outcome.claims_best and result.figures is not None
    if is_best and Tolerances().above(most, _value(result)):
        return "it calls a plan optimal, but another plan is worth more"
    if Tolerances().above(most, result.claimed_bound):
        return "it claims a bound that is below the value of a plan"
    return None
