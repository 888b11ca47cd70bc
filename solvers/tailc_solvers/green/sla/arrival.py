"""Place jobs in the order in which they arrive on free servers; placed jobs never move later.

Each is placed where its value is highest, or refused (`flow`). The gap of several jobs at once to
the best plan is bounded by the best admission (`admission`) if a solver is available, otherwise by
each job alone: a job takes room and cheap energy from others and gives none, so its value without
others is an upper bound.

Source: Haque 2016, appendix A.4.4, which places each job by a mixed-integer program.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tailc_solvers.backends.adapters import Solver
from tailc_solvers.backends.linear import BackendLimits
from tailc_solvers.green.sla.admission import prove_admission, room_of
from tailc_solvers.green.sla.check import figures_of, load_of
from tailc_solvers.green.sla.flow import place_job
from tailc_solvers.green.sla.problem import Groups, Job, Placement, Plan
from tailc_solvers.green.sla.solution import PlacementSolution, no_room, solution_of_plan

ORDERS = 4
"""Most orders in which jobs are placed."""


def place_jobs(
    groups: Groups,
    jobs: Sequence[Job],
    solver: Solver | None = None,
    limits: BackendLimits | None = None,
) -> PlacementSolution:
    """Place jobs one after another: those that must run first, then by payment for a slot.

    With a solver, the jobs of the best admission (with free moves) are placed first, and its bound
    is returned. If one of these jobs finds no room, all jobs are placed again: with few moves in
    epochs without energy for moves, and then with that job first. INFEASIBLE if a running job has
    no room, although another order might have it.
    """
    if solver is None:
        bound = bound_alone(groups, [place_job(groups, job) for job in jobs])
        plan = in_order(groups, jobs, by_pay(jobs))
    else:
        admission = prove_admission(groups, jobs, solver, limits)
        bound = admission.bound
        plan = admitting(groups, jobs, admission.admitted or (False,) * len(jobs))
    return no_room(groups) if plan is None else solution_of_plan(groups, jobs, plan, bound)


def admitting(groups: Groups, jobs: Sequence[Job], admitted: Sequence[bool]) -> Plan | None:
    """Try a few orders of placing jobs, admitted ones first, and return the best plan.

    None if in every order a running job finds no room. In an order in which a running job takes the
    servers of another, whose moves then exceed the green energy, running jobs stay on their
    servers.
    """
    order = sorted(by_pay(jobs), key=lambda at: not (jobs[at].must_run or admitted[at]))
    taken = [job for job, is_in in zip(jobs, admitted, strict=True) if is_in or job.must_run]
    best, still = None, frozenset[int]()
    for _ in range(ORDERS):
        plan = in_order(groups, jobs, order, still)
        if plan is None:
            break
        if best is None or _value(groups, jobs, plan) > _value(groups, jobs, best):
            best = plan
        left = {at for at in order if admitted[at] and plan[at] is None}
        if not left:
            break
        if still:
            order = sorted(order, key=lambda at: (not jobs[at].must_run, at not in left))
        still = _tight_epochs(groups, taken)
    if best is None and (staying := _staying(groups, jobs)) is not None:
        return refilled(groups, jobs, _placed_again(groups, jobs, staying))
    return best


def _staying(groups: Groups, jobs: Sequence[Job]) -> Plan | None:
    """Every running job on its servers to its end, other jobs refused; None if not all have room.

    Nothing moves, and green racks have energy for all their servers. Jobs whose servers are unknown
    get free ones: the more green slots they need, the greener.
    """
    free = groups.free.min(axis=1)
    plan: list[Placement | None] = [None] * len(jobs)

    def rank(at: int) -> tuple[bool, int]:
        return jobs[at].placed is None, -jobs[at].green_slots

    for at in sorted((at for at, job in enumerate(jobs) if job.must_run), key=rank):
        job = jobs[at]
        greener = np.cumsum(free[::-1])[::-1] - free
        servers = np.clip(job.width - greener, 0, free) if job.placed is None else job.placed
        if int(servers.sum()) < job.width or (servers > free).any():
            return None
        free = free - servers
        plan[at] = Placement(job.first_epoch, np.repeat(servers[:, None], job.epochs, axis=1))
    return tuple(plan)


def _placed_again(groups: Groups, jobs: Sequence[Job], plan: Plan) -> Plan:
    """The plan with each job placed again in turn, next to the others, where that is better."""
    for at in [at for at, one in enumerate(plan) if one is not None]:
        without = (*plan[:at], None, *plan[at + 1 :])
        found = place_job(groups.with_load(*load_of(groups, jobs, without)), jobs[at]).plan
        if found is not None:
            other = (*plan[:at], found[0], *plan[at + 1 :])
            plan = max(plan, other, key=lambda one: _value(groups, jobs, one))
    return plan


def _tight_epochs(groups: Groups, jobs: Sequence[Job]) -> frozenset[int]:
    """Epochs in which the green bus may lack energy for the moves of these jobs."""
    energy = groups.energy
    width = np.zeros(groups.epochs, dtype=np.int64)
    for job in jobs:
        width[job.first_epoch : job.end] += job.width
    idle = room_of(groups) - width
    return frozenset(np.flatnonzero(energy.server * idle < energy.move * width).tolist())


def _value(groups: Groups, jobs: Sequence[Job], plan: Plan) -> int:
    return figures_of(groups, jobs, plan).value


def by_pay(jobs: Sequence[Job]) -> list[int]:
    """Order in which to place jobs: those that must run, then by payment per server-epoch.

    Ties go to the first job.
    """

    def rank(at: int) -> tuple[bool, float]:
        return not jobs[at].must_run, -jobs[at].revenue / jobs[at].slots

    return sorted(range(len(jobs)), key=rank)


def in_order(
    groups: Groups,
    jobs: Sequence[Job],
    order: Sequence[int],
    still: frozenset[int] = frozenset(),
) -> tuple[Placement | None, ...] | None:
    """Place jobs one by one in the order given; None if a running job finds no room.

    order: numbers of the jobs. still: epochs in which running jobs move only if it is unavoidable.
    """
    plan: list[Placement | None] = [None] * len(jobs)
    for at in order:
        found = place_job(groups, jobs[at], still)
        if found.plan is None:
            return None
        plan[at] = found.plan[0]
        groups = groups.with_load(*load_of(groups, [jobs[at]], found.plan))
    return tuple(plan)


def bound_alone(groups: Groups, alone: Sequence[PlacementSolution]) -> float:
    """Upper bound on the value of a plan: the sum of the bounds of each job by itself.

    inf if a job has no bound.
    """
    idle = -int(groups.bill_before.sum())
    return idle + sum(one.bound - idle for one in alone)


def refilled(groups: Groups, jobs: Sequence[Job], plan: Plan) -> Plan:
    """Add refused jobs to a plan where they have room and a value above 0."""
    result: list[Placement | None] = list(plan)
    loaded = groups.with_load(*load_of(groups, jobs, plan))
    for at in by_pay(jobs):
        if result[at] is not None:
            continue
        found = place_job(loaded, jobs[at]).plan
        if found is not None and found[0] is not None:
            result[at] = found[0]
            loaded = loaded.with_load(*load_of(loaded, [jobs[at]], found))
    return tuple(result)
