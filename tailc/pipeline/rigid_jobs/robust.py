"""Places of jobs that are best in the mean of several ways the green power may turn out.

The forecast decides which racks the plan calls green, and the scenarios what it is worth: misses
and bills follow in each. Jobs are placed one after another (ARRIVAL), or all at once by a program
over all scenarios (MIP).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from tailc_solvers.backends.adapters import Backend, Solver
from tailc_solvers.backends.check import Tolerances, Trust
from tailc_solvers.backends.linear import Outcome
from tailc_solvers.green.sla.horizon import solve_horizon
from tailc_solvers.green.sla.problem import Groups, Job, Plan
from tailc_solvers.green.sla.robust import Robust, place_robust, solve_robust

from tailc.errors import Code, Finding, TailcError
from tailc.pipeline.plan_solvers import failed, limits_of
from tailc.pipeline.rigid_jobs.formulation import Stated
from tailc.problems.plan import PlanMethod


@dataclass(frozen=True)
class RobustPlaces:
    """Where jobs run, what that is worth in the mean of all scenarios, rounded down, and a bound
    on that of every plan, without what servers draw asleep.
    """

    plan: Plan
    value: int
    bound: float


@dataclass(frozen=True, eq=False)
class RobustSearch:
    """A search over scenarios; `prices` is a solver with multipliers."""

    stated: Stated
    prices: Solver

    def found(self) -> RobustPlaces:
        """The plan.

        Raises TailcError for a method that knows no scenarios (METHOD_UNFIT), and where a solver
        has no answer.
        """
        jobs = self.jobs
        # Those that have begun come first: they must find room.
        order = sorted(range(len(jobs)), key=lambda at: not jobs[at].must_run)
        placed = self._placed([jobs[at] for at in order])
        assert placed.plan is not None
        by_job = dict(zip(order, placed.plan, strict=True))
        plan = tuple(by_job[at] for at in range(len(jobs)))
        return RobustPlaces(plan, math.floor(placed.mean), min(placed.bound, self.bound))

    @cached_property
    def jobs(self) -> list[Job]:
        """As the solvers take them."""
        return self.stated.jobs(self.stated.problem.jobs)

    @property
    def scenarios(self) -> Sequence[Groups]:
        """Groups under each of them."""
        return self.stated.scenarios

    @cached_property
    def bound(self) -> float:
        """The mean of what no plan exceeds in each scenario alone."""
        limits = limits_of(self.stated.problem.search)
        bounds = []
        for groups in self.scenarios:
            found = solve_horizon(groups, self.jobs, self.prices, limits)
            if found.outcome is not Outcome.OPTIMAL or found.trust is Trust.REFUTED:
                raise failed(self.prices.backend, found.outcome, found.trust, found.message)
            bounds.append(found.bound)
        return float(np.mean(bounds))

    def _placed(self, jobs: list[Job]) -> Robust:
        problem = self.stated.problem
        match problem.method:
            case PlanMethod.ARRIVAL:
                return self._checked(place_robust(self.scenarios, jobs), self.prices.backend)
            case PlanMethod.MIP:
                with Solver(Backend(problem.search.solver)) as solver:
                    limits = limits_of(problem.search)
                    found = solve_robust(self.scenarios, jobs, solver, limits)
                if found.outcome is Outcome.OPTIMAL and self._is_beaten(found, jobs):
                    told = "it calls a plan the best, and another one is worth more"
                    raise failed(solver.backend, found.outcome, Trust.REFUTED, told)
                return self._checked(found, solver.backend)
            case other:
                message = f"`{other.value}` plans for the forecast alone, not for scenarios"
                at = ("supply", "forecast", "scenarios")
                hint = "leave them out, or use the method `arrival` or `mip`"
                raise TailcError(Finding(Code.METHOD_UNFIT, message, help=hint, about=at))

    def _is_beaten(self, found: Robust, jobs: list[Job]) -> bool:
        """Whether jobs placed one after another are worth more, by more than rounded bills."""
        other = place_robust(self.scenarios, jobs)
        if found.plan is None or other.plan is None:
            return False
        most = float(other.mean) - self.scenarios[0].epochs
        return Tolerances().above(most, float(found.mean))

    def _checked(self, found: Robust, backend: Backend) -> Robust:
        if found.plan is not None:
            return found
        if found.outcome is Outcome.INFEASIBLE:
            message = "jobs that have begun find no room for which the green bus is enough"
            hint = "leave the scenarios out, or plan more servers"
            about = ("supply", "forecast", "scenarios")
            raise TailcError(Finding(Code.INFEASIBLE, message, help=hint, about=about))
        trust = Trust.REFUTED if found.faults else Trust.CLAIMED
        raise failed(backend, found.outcome, trust, "; ".join(found.faults) or found.message)
