"""Prices of servers by group and epoch: their value to the jobs of earlier days.

For each earlier day, a linear program gives the value of one more server (`horizon` in the solvers)
on the servers that jobs which have begun do not use; prices are means over days. Without earlier
jobs the price is the opportunity cost plus the cost of brown energy of one more server.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from tailc_solvers.backends.adapters import Solver
from tailc_solvers.backends.check import AnswerTrust
from tailc_solvers.backends.linear import SolverOutcome
from tailc_solvers.green.sla.coarse import merged_groups, prices_of_members
from tailc_solvers.green.sla.horizon import solve_horizon
from tailc_solvers.green.sla.prices import mean_price
from tailc_solvers.green.sla.problem import Groups

from tailc.forms.plan.plan import LARGEST_UDOLLARS, LARGEST_WORTH_UDOLLARS
from tailc.pipeline.plan_solvers import solver_error, solver_limits
from tailc.pipeline.rigid_jobs.formulation import RacksFormulation
from tailc.problems.rigid_jobs import NamedJob
from tailc.progress import Progress

Whole = NDArray[np.int64]


def prices_of(
    formulation: RacksFormulation, left: Groups, solver: Solver, progress: Progress
) -> Whole:
    """Compute the price of a server [1e-6 dollars], int64 (groups, epochs).

    left: the free servers. Raises TailcError if the solver gives no prices.
    """
    days = expected_jobs(formulation)
    day_prices = []
    for number, jobs in enumerate(days):
        progress("pricing servers", number / len(days))
        day_prices.append(_of_a_day(formulation, left, jobs, solver) if jobs else _of_energy(left))
    epochs = left.epochs
    most = LARGEST_WORTH_UDOLLARS // (int(left.servers.sum()) * epochs)
    return np.minimum(mean_price(day_prices), min(LARGEST_UDOLLARS, most))


def expected_jobs(formulation: RacksFormulation) -> tuple[tuple[NamedJob, ...], ...]:
    """Sets of jobs that prices are computed from: those of earlier days, or else the jobs to place.

    There is at least one set; it may be empty.
    """
    problem = formulation.problem
    return problem.expected or (tuple(job for job in problem.jobs if not job.must_run),)


def _of_a_day(
    formulation: RacksFormulation, left: Groups, jobs: tuple[NamedJob, ...], solver: Solver
) -> Whole:
    limits = solver_limits(formulation.problem.search)
    merged, of = merged_groups(left)
    day_prices = solve_horizon(merged, formulation.jobs(jobs), solver, limits)
    if (
        day_prices.outcome is not SolverOutcome.OPTIMAL
        or day_prices.trust is AnswerTrust.REFUTED
        or day_prices.price is None
    ):
        raise solver_error(solver.backend, day_prices.outcome, day_prices.trust, day_prices.message)
    return prices_of_members(left, merged, of, day_prices.price)


def _of_energy(left: Groups) -> Whole:
    """Price of a server without jobs, just below its cost, so that a marginal job is admitted."""
    energy = left.energy
    drawn, moved = left.busy.sum(axis=0), left.moves.sum(axis=0)
    more = energy.bill(energy.brown(drawn + 1, moved)) - left.bill_before
    return np.maximum(left.charges.slot[:, None] + more - 1, 0)
