"""Formulate a cluster with malleable jobs as a solver's problem (Haque, Rutgers 2016, eq. B.1-B.9).

The solver measures work in thousandths of a server's speed times milliseconds, which equals
millionths times seconds. Servers without a job use green energy first, so the solver sees only the
additional power of jobs. Jobs that run past the horizon end without green energy, at the last
epoch's price.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from tailc_solvers.green.parallel.plan import EnergyBalance
from tailc_solvers.green.parallel.problem import (
    MJ_PER_KWH,
    MS_PER_S,
    PPT,
    S_PER_H,
    ParallelJob,
    ParallelProblem,
    Shape,
    moves_of,
    thousandths,
)

from tailc.forms.plan.plan import PPM
from tailc.pipeline.allocators.problem import with_possible_slack
from tailc.problems.malleable_jobs import ClusterProblem, NamedMalleable
from tailc.problems.plan import Whole


@dataclass(frozen=True, eq=False)
class ClusterFormulation:
    """A cluster's problem in the format of the solver.

    jobs: those of `parallel`, in the same order. of_kwh: cost of a kWh of brown energy in each
    epoch; the solver has it rounded down, so that its bound holds. idle_mj: brown energy of
    sleeping servers by forecast and epoch; int64 (S, T).
    """

    problem: ClusterProblem
    jobs: tuple[NamedMalleable, ...]
    parallel: ParallelProblem
    of_kwh: tuple[Fraction, ...]
    idle_mj: Whole

    @property
    def epochs_beyond(self) -> int:
        """Number of epochs after the plan's horizon in which jobs of the problem may still run."""
        return self.parallel.epochs - self.problem.supply.epochs

    def cost(self, ledger: EnergyBalance) -> Fraction:
        """Total cost of a plan of malleable jobs in micro-units, without rounding.

        ledger: the plan's energy and run time.
        """
        hours = Fraction(int(ledger.run_s.sum()), S_PER_H * len(self.parallel.jobs))
        brown = brown_cost(ledger.brown_mj + self.idle_mj, self.of_kwh)
        return brown + self.problem.run_cost * hours + self.problem.grid_cost


def formulate(problem: ClusterProblem, jobs: Sequence[NamedMalleable]) -> ClusterFormulation:
    """Convert the problem of malleable jobs, at least one, to the format of the solver."""
    parallel_jobs = tuple(_job(problem, job) for job in jobs)
    epochs = max(problem.supply.epochs, *(_past_epoch(problem, job) for job in parallel_jobs))
    supply = problem.supply
    beyond = epochs - supply.epochs
    of_kwh = costs_of_kwh(problem)
    # Nothing is bought in order to be thrown away after the horizon.
    last = max(int(supply.brown_udollars_per_kwh[-1]), 0), int(supply.brown_mg_per_kwh[-1])
    of_kwh += [problem.weights.of_kwh(*last)] * beyond
    asleep_mw = problem.servers * problem.asleep_mw
    spare_mj = np.maximum(forecasts_mw(problem) - asleep_mw, 0) * problem.epoch_s
    count = np.arange(problem.servers + 1, dtype=np.int64)
    parallel = ParallelProblem(
        length_s=np.full(epochs, problem.epoch_s, dtype=np.int64),
        servers=problem.servers,
        power_mw=(problem.busy_mw - problem.asleep_mw) * count,
        moves_mj=moves_of(problem.change_mj * count, at_the_ends=False),
        green_mj=np.pad(spare_mj, ((0, 0), (0, beyond))),
        weight_ppm=_weights(len(spare_mj)),
        brown_cost=np.array([math.floor(cost) for cost in of_kwh], np.int64),
        run_cost=problem.run_cost,
        jobs=parallel_jobs,
        most_vms_a_server=max(
            -(-shape.vms // int(shape.servers[0])) for job in parallel_jobs for shape in job.shapes
        ),
    )
    idle_mj = np.pad(_idle_mj(problem), ((0, 0), (0, beyond)))
    return ClusterFormulation(problem, tuple(jobs), parallel, tuple(of_kwh), idle_mj)


def forecasts_mw(problem: ClusterProblem) -> Whole:
    """Scenarios of green power [mW]; int64 (forecasts, epochs of the horizon)."""
    supply = problem.supply
    return supply.scenarios_mw if len(supply.scenarios_mw) else supply.green_mw[None]


def costs_of_kwh(problem: ClusterProblem) -> list[Fraction]:
    """Cost of a kWh of brown energy in each epoch of the horizon, in micro-units."""
    supply = problem.supply
    columns = (supply.brown_udollars_per_kwh.tolist(), supply.brown_mg_per_kwh.tolist())
    return [problem.weights.of_kwh(*one) for one in zip(*columns, strict=True)]


def idle_cost(problem: ClusterProblem) -> Fraction:
    """Cost of sleeping servers, and of power bought at negative prices, in micro-units.

    Both are within the horizon and independent of the jobs.
    """
    return brown_cost(_idle_mj(problem), costs_of_kwh(problem)) + problem.grid_cost


def brown_cost(brown_mj: Whole, of_kwh: Sequence[Fraction]) -> Fraction:
    """Mean cost of brown energy over the forecasts, in micro-units.

    brown_mj: energy by forecast and epoch; int64 (S, T). of_kwh: cost of a kWh by epoch.
    """
    rows = zip(_weights(len(brown_mj)).tolist(), brown_mj.tolist(), strict=True)
    total = sum(
        (weight * mj * cost for weight, row in rows for mj, cost in zip(row, of_kwh, strict=True)),
        Fraction(0),
    )
    return total / (PPM * MJ_PER_KWH)


def _idle_mj(problem: ClusterProblem) -> Whole:
    """Brown energy of sleeping servers; int64 (forecasts, epochs of the horizon)."""
    asleep_mw = problem.servers * problem.asleep_mw
    return np.maximum(asleep_mw - forecasts_mw(problem), 0) * problem.epoch_s


def _weights(forecasts: int) -> Whole:
    """Equal weights of the forecasts that sum to a million."""
    weights = np.full(forecasts, PPM // forecasts, np.int64)
    weights[: PPM % forecasts] += 1
    return weights


def _job(problem: ClusterProblem, job: NamedMalleable) -> ParallelJob:
    earliest = -(-job.submit_s // problem.epoch_s)
    last = problem.supply.epochs - 1
    begun = job.begun
    stated = ParallelJob(
        shapes=tuple(
            Shape.from_counts(vms, list(curve), [thousandths(ppm) for ppm in curve.values()])
            for vms, curve in sorted(job.shapes.items())
        ),
        work_left=job.work_left,
        requested=job.requested,
        requested_speed_ppt=thousandths(job.requested_ppm),
        slack_ppt=problem.slowdown_ppm // PPT,
        earliest=earliest,
        latest=max(earliest, min(earliest + job.may_wait, last)),
        work_done=0 if begun is None else begun.done,
        run_ms=0 if begun is None else begun.ran_s * MS_PER_S,
        present=0 if begun is None else begun.servers,
    )
    return stated if begun is None else with_possible_slack(stated)


def _past_epoch(problem: ClusterProblem, job: ParallelJob) -> int:
    """The epoch after the last in which the job can run."""
    return job.latest - (-job.deadline_ms // (MS_PER_S * problem.epoch_s))
