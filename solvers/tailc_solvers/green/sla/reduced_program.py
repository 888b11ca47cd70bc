"""Place jobs on groups whose power buses the forecast determines, as one mixed-integer program.

    minimise    sum_j (a job's part, `columns`) + sum_t b_t
    subject to  sum_j x_jgt <= free_gt
                sum_(j, green g) (EV x_jgt + EM a_jgt) <= GP_t less the energy of existing jobs
                u_j >= G_j - sum_(green g, t) x_jgt,    b_t >= c_t brown_t / EV

Its optimum is the same as on single racks with these buses. A VM's stay in a group is an interval
of epochs, and if no more intervals overlap than there are servers, each can have a server of its
own (`assign`).

Source: Haque 2016, appendix A.4.4: the green partition is full, so that the buses are known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from tailc_solvers.backends.adapters import Solver
from tailc_solvers.backends.check import AnswerVerdict, KnownFacts, optimum, proved_bound, verdict
from tailc_solvers.backends.linear import (
    BackendLimits,
    LinearProgram,
    SolverAnswer,
    SolverOutcome,
    Vector,
)
from tailc_solvers.green.sla.columns import JobVariables, add_bill, add_job, missing_rows
from tailc_solvers.green.sla.problem import Groups, Job, Plan, check_jobs
from tailc_solvers.green.sla.program import Assembly
from tailc_solvers.green.sla.solution import PlacementSolution, solution_of_answer, without_plan

WHOLE = 1e-6
"""Distance from a whole number up to which a relaxed variable is one."""


@dataclass(frozen=True, eq=False)
class ReducedProgram:
    """The mixed-integer program of jobs on groups of racks.

    Attributes:
        groups, jobs: the problem.
        columns: numbers of each job's variables.
        bill: numbers of the variables b, the energy bill [epochs].
    """

    groups: Groups
    jobs: Sequence[Job]
    columns: tuple[JobVariables, ...]
    bill: np.ndarray
    assembly: Assembly

    @classmethod
    def build(cls, groups: Groups, jobs: Sequence[Job]) -> ReducedProgram:
        """Build the mixed-integer program of jobs on groups of racks.

        Raises ValueError if an array of a job does not have the dimensions of `groups`.
        """
        check_jobs(jobs, groups.groups, groups.epochs)
        assembly = Assembly()
        columns = tuple(add_job(assembly, job, groups.free, groups.charges) for job in jobs)
        for one in columns:
            missing_rows(assembly, one, one.servers[groups.is_green[:, one.window]])
        if len(jobs) > 1:
            _room_rows(assembly, groups, columns)
        _green_rows(assembly, groups, columns)
        bill = add_bill(assembly, groups.energy, columns, _drawn_variables(groups))
        return cls(groups, jobs, columns, bill, assembly)

    @cached_property
    def program(self) -> LinearProgram:
        return self.assembly.program()

    @cached_property
    def relaxed(self) -> LinearProgram:
        """The linear relaxation of the program: no variable must be an integer."""
        return self.assembly.program(relaxed=True)

    def plan_of(self, x: Vector) -> Plan:
        """Read the plan of jobs from a point of the program, rounded to whole servers."""
        return tuple(columns.placement(x) for columns in self.columns)

    def known_facts(self) -> KnownFacts:
        """Known facts of the program: refusing all jobs is feasible, if none must run."""
        if any(job.must_run for job in self.jobs):
            return KnownFacts()
        x = np.zeros(self.program.n_variables)
        energy = self.groups.energy
        over = np.maximum(_drawn_variables(self.groups) - energy.green, 0) / energy.server
        x[self.bill] = energy.brown_cost * over
        return KnownFacts(points=[x])


def solve_reduced(
    groups: Groups, jobs: Sequence[Job], solver: Solver, limits: BackendLimits | None = None
) -> PlacementSolution:
    """Find the best plan for jobs on free servers by a mixed-integer program.

    The bound is that of the relaxed program. If that has an integer optimum, as it usually has,
    that is the answer, and proved.
    """
    model = ReducedProgram.build(groups, jobs)
    answer = solver.answer(model.relaxed, limits)
    bound = bound_of(model.relaxed, answer)
    if (denied := denied_by(model.relaxed, answer, model.known_facts())) is not None:
        return without_plan(groups, answer, denied, bound)
    if not (answer.outcome.has_point and _is_whole(model.program, answer)):
        answer = solver.answer(model.program, limits)
    found = verdict(model.program, answer, replace(model.known_facts(), bound=-bound))
    if answer.point is None or found.faults:
        return without_plan(groups, answer, found, bound)
    return solution_of_answer(groups, jobs, model.plan_of(answer.point.x), answer, bound)


def bound_of(program: LinearProgram, answer: SolverAnswer) -> float:
    """Upper bound on the value of every plan, proved by the dual values of an answer.

    inf if they prove none.
    """
    return np.inf if answer.duals is None else -proved_bound(program, answer.duals.rows)


def denied_by(
    relaxed: LinearProgram, answer: SolverAnswer, known: KnownFacts
) -> AnswerVerdict | None:
    """The reason to end the search for a plan after an answer to the relaxed program; None: go on.

    The reason is a claim that there is no optimum, or multipliers that do not prove the optimum.
    """
    if answer.outcome in (SolverOutcome.INFEASIBLE, SolverOutcome.UNBOUNDED):
        return verdict(relaxed, answer, known)
    if answer.outcome.has_point and answer.duals is None:
        return None
    found = optimum(relaxed, answer)
    return found if found.faults else None


def _is_whole(program: LinearProgram, answer: SolverAnswer) -> bool:
    point = answer.point
    if point is None or point.x.shape != program.integer.shape or not np.isfinite(point.x).all():
        return False
    whole = point.x[program.integer]
    return answer.outcome is SolverOutcome.OPTIMAL and bool(
        np.abs(whole - np.rint(whole)).max() <= WHOLE
    )


def _room_rows(assembly: Assembly, groups: Groups, columns: Sequence[JobVariables]) -> None:
    for t in range(groups.epochs):
        here = [one for one in columns if one.window.start <= t < one.window.stop]
        if len(here) > 1:
            places = np.stack([one.servers[:, t - one.window.start] for one in here], axis=1)
            assembly.rows((places, 1.0), upper=groups.free[:, t])


def _green_rows(assembly: Assembly, groups: Groups, columns: Sequence[JobVariables]) -> None:
    """Limit moves to the green bus; a full group is green only if its energy suffices."""
    energy = groups.energy
    full = groups.green_drawn(np.broadcast_to(groups.free, groups.is_green.shape), groups.moves * 0)
    for t in range(groups.epochs):
        green = groups.is_green[:, t]
        here = [one for one in columns if one.window.start <= t < one.window.stop]
        most_moves = energy.move * sum(one.job.width for one in here)
        if not here or not green.any() or full[t] + most_moves <= groups.green_left[t]:
            continue
        x = np.concatenate([one.servers[green, t - one.window.start] for one in here])
        a = np.concatenate([one.moves[green, t - one.window.start] for one in here])
        terms = [(x[None, :], 1.0)]
        terms.extend([(a[None, :], energy.move / energy.server)] if energy.move else [])
        assembly.rows(*terms, upper=max(int(groups.green_left[t]), 0) / energy.server)


def _drawn_variables(groups: Groups) -> np.ndarray:
    energy = groups.energy
    return energy.server * groups.busy.sum(axis=0) + energy.move * groups.moves.sum(axis=0)
