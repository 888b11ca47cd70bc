"""Prices of servers by group and epoch: what they are worth to the jobs that days before brought.

For each day before, a linear program says what a server more would bring (`horizon` in the solvers)
on what the jobs that have begun leave free; the prices are the means over days. Without jobs to
expect a server is worth its opportunity cost and the brown energy that one more would draw.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from tailc_solvers.backends.adapters import Solver
from tailc_solvers.backends.check import Trust
from tailc_solvers.backends.linear import Outcome
from tailc_solvers.green.sla.horizon import solve_horizon
from tailc_solvers.green.sla.prices import mean_price
from tailc_solvers.green.sla.problem import Groups

from tailc.forms.plan.plan import LARGEST_UDOLLARS, LARGEST_WORTH_UDOLLARS
from tailc.pipeline.plan_solvers import failed, limits_of
from tailc.pipeline.rigid_jobs.formulation import Stated
from tailc.problems.rigid_jobs import NamedJob
from tailc.progress import Progress

Whole = NDArray[np.int64]


def prices_of(stated: Stated, left: Groups, solver: Solver, progress: Progress) -> Whole:
    """Of a server [millionths of a dollar], int64 (groups, epochs); `left`: what is free.

    Raises TailcError where the solver gives none.
    """
    days = expected_jobs(stated)
    found = []
    for number, jobs in enumerate(days):
        progress("pricing servers", number / len(days))
        found.append(_of_a_day(stated, left, jobs, solver) if jobs else _of_energy(left))
    epochs = left.epochs
    most = LARGEST_WORTH_UDOLLARS // (int(left.servers.sum()) * epochs)
    return np.minimum(mean_price(found), min(LARGEST_UDOLLARS, most))


def expected_jobs(stated: Stated) -> tuple[tuple[NamedJob, ...], ...]:
    """The sets that prices are made from: those of days before, or the jobs that are to be placed.

    There is one at least; it may be empty.
    """
    problem = stated.problem
    return problem.expected or (tuple(job for job in problem.jobs if not job.must_run),)


def _of_a_day(stated: Stated, left: Groups, jobs: tuple[NamedJob, ...], solver: Solver) -> Whole:
    limits = limits_of(stated.problem.search)
    found = solve_horizon(left, stated.jobs(jobs), solver, limits)
    if found.outcome is not Outcome.OPTIMAL or found.trust is Trust.REFUTED or found.price is None:
        raise failed(solver.backend, found.outcome, found.trust, found.message)
    return found.price


def _of_energy(left: Groups) -> Whole:
    """Just below what a server more costs, so that a job at the margin is admitted."""
    energy = left.energy
    drawn, moved = left.busy.sum(axis=0), left.moves.sum(axis=0)
    more = energy.bill(energy.brown(drawn + 1, moved)) - left.bill_before
    return np.maximum(left.charges.slot[:, None] + more - 1, 0)
