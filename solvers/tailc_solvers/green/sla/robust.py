"""Place jobs before it is known which of several scenarios of green energy will occur.

Servers are chosen once. Which racks are green, which promised slots are missed and what grid energy
costs depends on the scenario s of S, which are equally likely:

    maximise    sum_s value_s(x) / S        with the value of `problem` under the green energy of s
    subject to  the rules of `problem` in every scenario

One program for a general solver, as in `reduced`, with u_js and b_ts for each scenario. The plan is
counted exactly in every scenario; the bound is that of the relaxed program. Many jobs are placed
one after another without a solver, each at the best of some places.

Source: a two-stage stochastic program in its extensive form (Birge, Louveaux, Introduction to
Stochastic Programming, 2011, section 2.4); Haque 2016, appendix A, has the forecast alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction

import numpy as np

from tailc_solvers.backends.adapters import Solver
from tailc_solvers.backends.check import KnownFacts, verdict
from tailc_solvers.backends.linear import BackendLimits, SolverOutcome
from tailc_solvers.green.sla.check import faults_of, figures_of, load_of
from tailc_solvers.green.sla.columns import JobVariables, add_job
from tailc_solvers.green.sla.flow import place_job
from tailc_solvers.green.sla.problem import (
    Charges,
    Groups,
    Job,
    Placement,
    Plan,
    Racks,
    Whole,
    check_jobs,
    first_of_groups,
)
from tailc_solvers.green.sla.program import Assembly
from tailc_solvers.green.sla.reduced_program import bound_of, denied_by


@dataclass(frozen=True, eq=False)
class Robust:
    """A placement of jobs under uncertain green energy, with its value in each energy scenario.

    Attributes:
        outcome: OPTIMAL or FEASIBLE with a plan; otherwise why there is none.
        plan: passes every check in every scenario; None if there is none.
        values: value of the plan in each scenario [micro-dollars].
        bound: upper bound on the mean value of every plan, or inf [micro-dollars].
        faults: why an answer is refuted; then there is no plan.
        message: a sentence on a failure.
    """

    outcome: SolverOutcome
    plan: Plan | None = None
    values: tuple[int, ...] = ()
    bound: float = math.inf
    faults: tuple[StrEnum, ...] = ()
    message: str = ""

    @property
    def mean(self) -> Fraction:
        """Mean value of the plan over the scenarios [micro-dollars]."""
        return Fraction(sum(self.values), len(self.values))


def groups_of_scenarios(racks: Racks, green: Whole) -> list[Groups]:
    """The groups of idle racks under each scenario of green energy.

    green: green energy [mJ; scenarios, epochs]. The groups have the same racks in all scenarios:
    racks of a group are on the same bus in every epoch of every scenario.
    """
    each = [replace(racks, energy=replace(racks.energy, green=one)) for one in green]
    rank = np.arange(racks.racks)[:, None]
    colour = [rank >= racks.racks - one.green_racks for one in each]
    first = first_of_groups(np.concatenate(colour, axis=1), racks.charges.slot)
    servers = racks.servers * np.diff([*first, racks.racks])
    idle = np.zeros((len(first), racks.energy.epochs), dtype=np.int64)
    charges = Charges(racks.charges.slot[first], racks.charges.move)
    return [
        Groups(servers, is_green[first], one.energy, charges, idle, idle)
        for one, is_green in zip(each, colour, strict=True)
    ]


def solve_robust(
    scenarios: Sequence[Groups],
    jobs: Sequence[Job],
    solver: Solver,
    limits: BackendLimits | None = None,
) -> Robust:
    """The plan with the highest mean value over the scenarios that is feasible in each of them.

    The scenarios may differ only in which groups are green and in their energy. Raises ValueError
    if their servers differ, or if a job does not fit their epochs or groups.
    """
    _check(scenarios, jobs)
    assembly, columns = _program(scenarios, jobs)
    program, relaxed = assembly.program(), assembly.program(relaxed=True)
    answer = solver.answer(relaxed, limits)
    bound = bound_of(relaxed, answer)
    if (denied := denied_by(relaxed, answer, KnownFacts())) is not None:
        return Robust(answer.outcome, faults=denied.faults, message=answer.message)
    answer = solver.answer(program, limits)
    faults: tuple[StrEnum, ...] = verdict(program, answer, KnownFacts(bound=-bound)).faults
    if answer.point is None or faults:
        return Robust(answer.outcome, bound=bound, faults=faults, message=answer.message)
    x = answer.point.x
    plan = tuple(one.placement(x) for one in columns)
    faults = tuple(fault for one in scenarios for fault in faults_of(one, jobs, plan))
    if faults:
        return Robust(answer.outcome, bound=bound, faults=tuple(dict.fromkeys(faults)))
    return Robust(answer.outcome, plan, _values(scenarios, jobs, plan), bound)


def place_robust(scenarios: Sequence[Groups], jobs: Sequence[Job]) -> Robust:
    """Place jobs one after another under uncertain green energy, or refuse them.

    Each job takes the best on average of a few placements: those that are best (`flow`) under one
    scenario of green energy, or under a quartile (minimum to maximum) of the scenarios in each
    epoch. A heuristic, without a bound; INFEASIBLE if a job that must run has no such placement.
    """
    _check(scenarios, jobs)
    plan: list[Placement | None] = []
    here = list(scenarios)
    for job in jobs:
        found = _best_of_some(here, job)
        if found is None:
            return Robust(SolverOutcome.INFEASIBLE)
        plan += found
        load = load_of(here[0], [job], found)
        here = [groups.with_load(*load) for groups in here]
    return Robust(SolverOutcome.FEASIBLE, tuple(plan), _values(scenarios, jobs, tuple(plan)))


def _best_of_some(scenarios: Sequence[Groups], job: Job) -> Plan | None:
    """The place with the highest mean; ties go to the first, and refusal comes first."""
    some: list[Plan] = [] if job.must_run else [(None,)]
    for groups in (*scenarios, *_quarters(scenarios)):
        found = place_job(groups, job).plan
        if found is not None and found[0] is not None:
            some.append(found)
    allowed = [
        plan for plan in some if not any(faults_of(groups, [job], plan) for groups in scenarios)
    ]
    return max(allowed, key=lambda plan: sum(_values(scenarios, [job], plan)), default=None)


def _quarters(scenarios: Sequence[Groups]) -> list[Groups]:
    """Quartiles by epoch: the scenario with the least green energy, then a quarter of them, ..."""
    order = np.argsort([one.energy.green for one in scenarios], axis=0, kind="stable")
    last = len(scenarios) - 1
    return [_of_epochs(scenarios, order[last * quarter // 4]) for quarter in range(5)]


def _of_epochs(scenarios: Sequence[Groups], chosen: Whole) -> Groups:
    """Each epoch as in the scenario chosen for it; int64 (epochs,)."""
    epochs = np.arange(len(chosen))
    green = np.stack([one.energy.green for one in scenarios])[chosen, epochs]
    is_green = np.stack([one.is_green for one in scenarios])[chosen, :, epochs].T
    first = scenarios[0]
    return replace(first, is_green=is_green, energy=replace(first.energy, green=green))


def _values(scenarios: Sequence[Groups], jobs: Sequence[Job], plan: Plan) -> tuple[int, ...]:
    return tuple(figures_of(groups, jobs, plan).value for groups in scenarios)


def _program(
    scenarios: Sequence[Groups], jobs: Sequence[Job]
) -> tuple[Assembly, tuple[JobVariables, ...]]:
    """The program to minimise: the mean over scenarios, less the jobs' revenue."""
    assembly, first = Assembly(), scenarios[0]
    # Missing slots are counted by scenario, so the jobs' own count costs nothing.
    free_of_penalty = [replace(job, penalty=0) for job in jobs]
    columns = tuple(add_job(assembly, job, first.free, first.charges) for job in free_of_penalty)
    for t in range(first.epochs):
        if len(here := _running(columns, t)) > 1:
            places = np.stack([one.servers[:, t - one.window.start] for one in here], axis=1)
            assembly.rows((places, 1.0), upper=first.free[:, t])
    for groups in scenarios:
        _add_scenario(assembly, groups, jobs, columns, 1 / len(scenarios))
    return assembly, columns


def _add_scenario(
    assembly: Assembly,
    groups: Groups,
    jobs: Sequence[Job],
    columns: Sequence[JobVariables],
    weight: float,
) -> None:
    """Add missing slots and bill of a scenario, and the limit of its green bus."""
    for job, one in zip(jobs, columns, strict=True):
        if job.green_slots:
            most = job.green_slots
            cost = weight * job.penalty
            missing = assembly.variables((1, 1), cost=cost, upper=most, integer=False)
            promise = (one.start[None, :], -float(most))
            green = one.servers[groups.is_green[:, one.window]][None, :]
            assembly.rows((missing, 1.0), promise, (green, 1.0), lower=0)
    for t in range(groups.epochs):
        here = _running(columns, t)
        _bill_row(assembly, groups, here, t, weight)
        if here:
            _green_row(assembly, groups, here, t)


def _running(columns: Sequence[JobVariables], epoch: int) -> list[JobVariables]:
    """Jobs that may run in an epoch."""
    return [one for one in columns if one.window.start <= epoch < one.window.stop]


def _bill_row(
    assembly: Assembly, groups: Groups, here: Sequence[JobVariables], t: int, weight: float
) -> None:
    energy = groups.energy
    cost = float(energy.brown_cost[t])
    if not cost:
        return
    drawn = energy.server * int(groups.busy[:, t].sum()) + energy.move * int(
        groups.moves[:, t].sum()
    )
    moves = 1 + groups.groups * energy.move / energy.server
    most = cost * (sum(one.job.width for one in here) * moves + drawn / energy.server)
    bill = assembly.variables((1, 1), cost=weight, upper=most, integer=False)
    terms = [(bill, 1.0)]
    for one in here:
        terms.append((one.starts_of(t)[None, :], -cost * one.job.width))
        if energy.move:
            moves = one.moves[None, :, t - one.window.start]
            terms.append((moves, -cost * energy.move / energy.server))
    assembly.rows(*terms, lower=-cost * (int(energy.green[t]) - drawn) / energy.server)


def _green_row(assembly: Assembly, groups: Groups, here: Sequence[JobVariables], t: int) -> None:
    energy, green = groups.energy, groups.is_green[:, t]
    if not green.any():
        return
    x = np.concatenate([one.servers[green, t - one.window.start] for one in here])
    terms = [(x[None, :], 1.0)]
    if energy.move:
        a = np.concatenate([one.moves[green, t - one.window.start] for one in here])
        terms.append((a[None, :], energy.move / energy.server))
    assembly.rows(*terms, upper=max(int(groups.green_left[t]), 0) / energy.server)


def _check(scenarios: Sequence[Groups], jobs: Sequence[Job]) -> None:
    if not scenarios:
        raise ValueError("`scenarios` must not be empty")
    first = scenarios[0]
    check_jobs(jobs, first.groups, first.epochs)
    for one in scenarios[1:]:
        same = (
            np.array_equal(one.servers, first.servers)
            and np.array_equal(one.busy, first.busy)
            and np.array_equal(one.moves, first.moves)
            and np.array_equal(one.charges.slot, first.charges.slot)
            and one.charges.move == first.charges.move
        )
        if not same:
            raise ValueError("scenarios must have the same groups, except their energy")
