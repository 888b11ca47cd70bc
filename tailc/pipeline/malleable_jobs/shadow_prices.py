"""Price a server in each epoch for future jobs, from the jobs of earlier days.

For each span of days, a linear program over the jobs' schedules has dual prices of servers and
energy, under the energy forecast for the horizon. Prices are means over the spans. A span without
jobs has the price of the brown energy of one server.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from tailc_solvers.backends.adapters import Solver
from tailc_solvers.backends.linear import BackendLimits
from tailc_solvers.green.parallel.columns import ColumnsEffort, ColumnsSolution, solve_columns
from tailc_solvers.green.parallel.prices import bid_prices
from tailc_solvers.green.parallel.problem import MJ_PER_KWH, S_PER_H
from tailc_solvers.green.parallel.solution import Ending

from tailc.pipeline.malleable_jobs.formulation import (
    ClusterFormulation,
    costs_of_kwh,
    forecasts_mw,
    formulate,
)
from tailc.pipeline.malleable_jobs.infeasible import check_solver
from tailc.problems.malleable_jobs import ClusterProblem
from tailc.problems.plan import Whole
from tailc.progress import Progress

# Prices come from the linear program alone: earlier days need no integer plan.
ROOT_ALONE = ColumnsEffort(nodes=0, starts=0, passes=1)


@dataclass(frozen=True, eq=False)
class ServerPrices:
    """Prices of servers, by which a plan decides on jobs that come later.

    udollars: price of a server in each epoch, in millionths of a dollar; int64 (epochs,).
    delay_udollars: price of one epoch of delay of a job. spans: number of earlier spans used; 0:
    prices come from the plan's own jobs.
    """

    udollars: Whole
    delay_udollars: int
    spans: int


def server_prices(
    problem: ClusterProblem,
    own: tuple[ClusterFormulation, ColumnsSolution] | None,
    solver: Solver,
    limits: BackendLimits,
    progress: Progress,
) -> ServerPrices:
    """Compute the prices of servers, by which a plan decides on jobs that come later.

    own: the plan's own problem and its solution; None without jobs. Raises TailcError if the solver
    fails.
    """
    day_prices: list[Whole] = []
    delays: list[Fraction] = []
    for number, jobs in enumerate(problem.expected):
        progress("pricing servers", number / len(problem.expected))
        if not jobs:
            day_prices.append(idle_udollars(problem))
            continue
        formulation = formulate(problem, jobs)
        answer = solve_columns(formulation.parallel, solver, effort=ROOT_ALONE, limits=limits)
        check_solver(solver.backend, answer.solution)
        if answer.solution.ending is not Ending.NONE_EXISTS:
            day_prices.append(prices_of(formulation, answer))
            delays.append(_delay(problem, len(jobs)))
    spans = len(day_prices)
    if not day_prices and own is not None:
        day_prices, delays = [prices_of(*own)], [_delay(problem, len(own[0].parallel.jobs))]
    return ServerPrices(
        _mean(day_prices or [idle_udollars(problem)]),
        round(sum(delays, Fraction(0)) / len(delays)) if delays else round(_delay(problem, 1)),
        spans,
    )


def prices_of(formulation: ClusterFormulation, answer: ColumnsSolution) -> Whole:
    """Compute bid prices of servers in the horizon's epochs from a solution's dual prices.

    A price is at least the cost of the brown energy of a single busy server.
    """
    idle = idle_udollars(formulation.problem)
    if answer.prices is None:
        return idle
    bid = bid_prices(formulation.parallel, answer.prices).server[: len(idle)]
    return np.maximum(bid, idle)


def idle_udollars(problem: ClusterProblem) -> Whole:
    """Cost of the brown energy of a server with a job while all others sleep, by epoch, rounded."""
    each_mw = problem.busy_mw - problem.asleep_mw
    asleep_mw = problem.servers * problem.asleep_mw
    short_mw = np.clip(asleep_mw + each_mw - forecasts_mw(problem), 0, each_mw)
    total = short_mw.sum(axis=0).tolist()
    return np.array(
        [
            round(cost * mw * problem.epoch_s / (MJ_PER_KWH * len(short_mw)))
            for cost, mw in zip(costs_of_kwh(problem), total, strict=True)
        ],
        np.int64,
    )


def _delay(problem: ClusterProblem, jobs: int) -> Fraction:
    """Cost of one epoch of delay of one of `jobs` jobs, by the cost of mean run time."""
    return Fraction(problem.run_cost * problem.epoch_s, S_PER_H * jobs)


def _mean(day_prices: Sequence[Whole]) -> Whole:
    """Mean price per epoch, rounded to the nearest, halves up."""
    total, spans = np.sum(day_prices, axis=0), len(day_prices)
    return (2 * total + spans) // (2 * spans)
