"""Limit the number of jobs that miss promised green slots to a share of the placed jobs.

With m of n placed jobs missing slots, a plan meets the limit if m <= limit n. A job that must run
and would miss slots even with every green server to itself is not counted: no plan can change that.

A plan above the limit is repaired: jobs that miss slots are refused, those with the lowest income
first, and refused jobs are placed on the free servers if they get their slots. The same is done
with a second plan, in which a missed slot costs a job all its revenue. A heuristic: the bound of
the problem without the limit remains valid.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tailc_solvers.green.sla.arrival import admitting, refilled
from tailc_solvers.green.sla.check import figures_of, missing_of
from tailc_solvers.green.sla.problem import PPM, Groups, Job, Plan


@dataclass(frozen=True)
class Misses:
    """Number of jobs in a plan that miss promised green slots, and number of all placed jobs.

    Jobs that cannot get their slots under any plan are left out.
    """

    missed: int
    placed: int

    def is_within(self, limit_ppm: int) -> bool:
        """Whether at most `limit_ppm` of the placed jobs miss promised green slots."""
        return self.missed * PPM <= limit_ppm * self.placed

    @property
    def share_ppm(self) -> int:
        """Share of the placed jobs that miss promised green slots [1e-6].

        Rounded up; 0 without jobs.
        """
        return -(-self.missed * PPM // max(self.placed, 1))


def is_lost(groups: Groups, job: Job) -> bool:
    """Whether a job that must run misses green slots even if it may use every green server."""
    within = slice(job.first_epoch, job.end)
    green = np.where(groups.is_green, groups.free, 0).sum(axis=0)[within]
    return job.must_run and int(np.minimum(green, job.width).sum()) < job.green_slots


def misses_of(groups: Groups, jobs: Sequence[Job], plan: Plan) -> Misses:
    """Count the jobs of a plan that miss promised green slots."""
    placed = [
        (job, one)
        for job, one in zip(jobs, plan, strict=True)
        if one is not None and not is_lost(groups, job)
    ]
    missed = sum(missing_of(groups.is_green, job, one) > 0 for job, one in placed)
    return Misses(missed, len(placed))


def trimmed(groups: Groups, jobs: Sequence[Job], plan: Plan, limit_ppm: int) -> Plan:
    """Remove jobs that miss green slots from a plan, as many as needed for the limit.

    Jobs that must run stay.
    """
    income = {
        at: job.revenue - job.penalty * missing
        for at, (job, one) in enumerate(zip(jobs, plan, strict=True))
        if not job.must_run and (missing := missing_of(groups.is_green, job, one))
    }
    for at in sorted(income, key=lambda at: income[at]):
        if misses_of(groups, jobs, plan).is_within(limit_ppm):
            break
        plan = (*plan[:at], None, *plan[at + 1 :])
    return plan


def repaired(groups: Groups, jobs: Sequence[Job], plan: Plan, limit_ppm: int) -> Plan:
    """Repair a plan so that at most `limit_ppm` of its jobs miss promised green slots.

    Of two repaired plans within the limit, the better one; if none is within, the one with the
    smaller share.
    """
    strict = [_strict(groups, job) for job in jobs]
    again = admitting(groups, strict, (True,) * len(jobs))
    starts = [plan] if again is None else [plan, again]
    found = [refilled(groups, strict, trimmed(groups, jobs, one, limit_ppm)) for one in starts]

    def rank(one: Plan) -> tuple[int, int]:
        misses = misses_of(groups, jobs, one)
        above = 0 if misses.is_within(limit_ppm) else misses.share_ppm
        return above, -figures_of(groups, jobs, one).value

    return min(found, key=rank)


def _strict(groups: Groups, job: Job) -> Job:
    """The job with a penalty that makes it worthless if it misses a slot."""
    return job if is_lost(groups, job) else replace(job, penalty=max(job.revenue, job.penalty) + 1)
