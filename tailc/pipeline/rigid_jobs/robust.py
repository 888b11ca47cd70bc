"""Place jobs for the best mean value over several scenarios of green power.

The forecast determines which racks are green, and the scenarios determine the value: misses and
bills are computed in each. Jobs are placed one after another (ARRIVAL), or all at once by an
integer program over all scenarios (MIP).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from tailc_solvers.backends.adapters import Backend, Solver
from tailc_solvers.backends.check import AnswerTrust, Tolerances
from tailc_solvers.backends.linear import SolverOutcome
from tailc_solvers.green.sla.check import figures_of
from tailc_solvers.green.sla.horizon import solve_horizon
from tailc_solvers.green.sla.problem import Groups, Job, Plan
from tailc_solvers.green.sla.robust import Robust, place_robust, solve_robust

from tailc.errors import Code, Finding, TailcError
from tailc.pipeline.plan_solvers import solver_error, solver_limits
from tailc.pipeline.rigid_jobs.formulation import RacksFormulation
from tailc.problems.plan import PlanMethod


@dataclass(frozen=True)
class RobustPlaces:
    """Servers of jobs that are planned for several scenarios of energy, with their mean value.

    value: mean over the scenarios, rounded down. bound: upper bound for every plan. Both exclude
    the energy of sleeping servers.
    """

    plan: Plan
    value: int
    bound: float


@dataclass(frozen=True, eq=False)
class RobustSearch:
    """A search for the plan with the best mean value over scenarios of green power.

    prices: a solver with dual prices.
    """

    formulation: RacksFormulation
    prices: Solver

    def run(self) -> RobustPlaces:
        """Search for the plan with the best mean value.

        Raises TailcError for a method without scenarios (METHOD_UNFIT), and if a solver has no
        answer.
        """
        jobs = self.jobs
        # Jobs that have begun come first, since they must be placed.
        order = sorted(range(len(jobs)), key=lambda at: not jobs[at].must_run)
        placed = self._place([jobs[at] for at in order])
        assert placed.plan is not None
        by_job = dict(zip(order, placed.plan, strict=True))
        plan = tuple(by_job[at] for at in range(len(jobs)))
        return RobustPlaces(plan, math.floor(placed.mean), min(placed.bound, self.bound))

    @cached_property
    def jobs(self) -> list[Job]:
        """The known jobs in the solvers' format."""
        return self.formulation.jobs(self.formulation.problem.jobs)

    def mean_value(self, plan: Plan) -> int:
        """Mean value of a plan over the scenarios, rounded down."""
        values = [figures_of(groups, self.jobs, plan).value for groups in self.scenarios]
        return sum(values) // len(values)

    @property
    def scenarios(self) -> Sequence[Groups]:
        """The groups of racks under each scenario of green power."""
        return self.formulation.scenarios

    @cached_property
    def bound(self) -> float:
        """Upper bound on the mean value: the mean of the bounds of each scenario."""
        limits = solver_limits(self.formulation.problem.search)
        bounds = []
        for groups in self.scenarios:
            result = solve_horizon(groups, self.jobs, self.prices, limits)
            if result.outcome is not SolverOutcome.OPTIMAL or result.trust is AnswerTrust.REFUTED:
                raise solver_error(
                    self.prices.backend, result.outcome, result.trust, result.message
                )
            bounds.append(result.bound)
        return float(np.mean(bounds))

    def _place(self, jobs: list[Job]) -> Robust:
        problem = self.formulation.problem
        match problem.method:
            case PlanMethod.ARRIVAL:
                return self._check_solution(place_robust(self.scenarios, jobs), self.prices.backend)
            case PlanMethod.MIP:
                with Solver(Backend(problem.search.solver)) as solver:
                    limits = solver_limits(problem.search)
                    result = solve_robust(self.scenarios, jobs, solver, limits)
                if result.outcome.claims_best and self._is_beaten(result, jobs):
                    reason = "it calls a plan optimal, but another plan is worth more"
                    raise solver_error(solver.backend, result.outcome, AnswerTrust.REFUTED, reason)
                return self._check_solution(result, solver.backend)
            case other:
                message = (
                    f"the method `{other.value}` plans only for the forecast, not for scenarios"
                )
                at = ("supply", "forecast", "scenarios")
                hint = "remove `scenarios`, or use the method `arrival` or `mip`"
                raise TailcError(Finding(Code.METHOD_UNFIT, message, help=hint, about=at))

    def _is_beaten(self, result: Robust, jobs: list[Job]) -> bool:
        """Whether placing jobs one after another has a higher value, beyond rounding."""
        other = place_robust(self.scenarios, jobs)
        if result.plan is None or other.plan is None:
            return False
        most = float(other.mean) - self.scenarios[0].epochs
        return Tolerances().above(most, float(result.mean))

    def _check_solution(self, result: Robust, backend: Backend) -> Robust:
        if result.plan is not None:
            return result
        if result.outcome is SolverOutcome.INFEASIBLE:
            message = "running jobs have no places on which green power suffices in every scenario"
            hint = "remove `scenarios`, or plan more servers"
            about = ("supply", "forecast", "scenarios")
            raise TailcError(Finding(Code.INFEASIBLE, message, help=hint, about=about))
        trust = AnswerTrust.REFUTED if result.faults else AnswerTrust.CLAIMED
        raise solver_error(
            backend, result.outcome, trust, "; ".join(result.faults) or result.message
        )
