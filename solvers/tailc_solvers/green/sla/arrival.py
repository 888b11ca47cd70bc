"""Jobs as they arrive: placed one after another on what is free, and never moved afterwards.

Each is placed where its value is highest, or turned away (`flow`). How far several at once are from
the best plan of all is bounded by the program of the horizon (`horizon`), where a solver is at
hand, and else by each job alone: a job takes room and cheap energy from others and gives none, so
what it brings with nobody else there is the most it can bring.

Source: Haque 2016, appendix A.4.4, which places each job by a mixed-integer program.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from tailc_solvers.backends.adapters import Solver
from tailc_solvers.backends.linear import Limits
from tailc_solvers.green.sla.check import load_of
from tailc_solvers.green.sla.flow import place_job
from tailc_solvers.green.sla.horizon import solve_admission, solve_horizon
from tailc_solvers.green.sla.problem import Groups, Job, Placement
from tailc_solvers.green.sla.solution import Solution, no_room, proposed


def place_jobs(
    groups: Groups,
    jobs: Sequence[Job],
    solver: Solver | None = None,
    limits: Limits | None = None,
) -> Solution:
    """Jobs one after another, first those that must run, then by what they pay for a slot.

    With a solver those come first that it would admit were moves free, and the bound is that of the
    horizon. INFEASIBLE where one of these has no room left, though another order might have it.
    """
    order, claimed = by_pay(jobs), math.inf
    if solver is None:
        bound = bound_alone(groups, [place_job(groups, job) for job in jobs])
    else:
        bound = solve_horizon(groups, jobs, solver, limits).bound
        admission = solve_admission(groups, jobs, solver, limits)
        claimed = admission.claimed_bound
        if (admitted := admission.admitted) is not None:
            order.sort(key=lambda at: not admitted[at])
    plan = in_order(groups, jobs, order)
    if plan is None:
        return no_room(groups)
    return replace(proposed(groups, jobs, plan, bound), claimed_bound=claimed)


def by_pay(jobs: Sequence[Job]) -> list[int]:
    """Jobs that must run, then those that pay most for a slot; of equals the first."""

    def rank(at: int) -> tuple[bool, float]:
        return not jobs[at].must_run, -jobs[at].revenue / jobs[at].slots

    return sorted(range(len(jobs)), key=rank)


def in_order(
    groups: Groups, jobs: Sequence[Job], order: Sequence[int]
) -> tuple[Placement | None, ...] | None:
    """The plan of jobs placed in this order; None where a running one finds no room."""
    plan: list[Placement | None] = [None] * len(jobs)
    for at in order:
        found = place_job(groups, jobs[at])
        if found.plan is None:
            return None
        plan[at] = found.plan[0]
        groups = groups.with_load(*load_of(groups, [jobs[at]], found.plan))
    return tuple(plan)


def bound_alone(groups: Groups, alone: Sequence[Solution]) -> float:
    """The bound from each job's bound with nobody else there; inf if one has none."""
    idle = -int(groups.bill_before.sum())
    return idle + sum(one.bound - idle for one in alone)
