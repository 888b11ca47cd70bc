"""Exact cost and energy of a plan."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tailc_solvers.green.parallel.problem import (
    MJ_PER_KWH,
    PPM,
    S_PER_H,
    ParallelProblem,
    Whole,
)


@dataclass(frozen=True, eq=False)
class ServerPlan:
    """A plan of malleable jobs: how many servers each job has in each epoch.

    servers: number of servers [J, T]. shape: number of each job's chosen shape [J].
    """

    servers: Whole
    shape: Whole


@dataclass(frozen=True, eq=False)
class EnergyBalance:
    """Energy balance and cost of a plan of malleable jobs.

    Attributes:
        busy_mj: energy of running jobs in each epoch [T].
        moving_mj: energy of changes of server counts in each epoch [T].
        brown_mj: energy beyond the green energy, by forecast and epoch [S, T].
        run_s: run time of each job in whole epochs [J].
        cost: the objective in micro-units.
    """

    busy_mj: Whole
    moving_mj: Whole
    brown_mj: Whole
    run_s: Whole
    cost: Fraction

    @property
    def energy_mj(self) -> Whole:
        """Energy that a plan of malleable jobs uses in each epoch [mJ; T]."""
        return self.busy_mj + self.moving_mj

    @property
    def green_mj(self) -> Whole:
        """Green energy that a plan of malleable jobs uses, by forecast and epoch [mJ; S, T]."""
        return self.energy_mj - self.brown_mj


def ledger(problem: ParallelProblem, plan: ServerPlan) -> EnergyBalance:
    """Compute the energy balance and the cost of a feasible plan, exactly."""
    busy = problem.power_mw[plan.servers].sum(axis=0) * problem.length_s
    present = np.array([[job.present] for job in problem.jobs], dtype=np.int64)
    before = np.concatenate([present, plan.servers[:, :-1]], axis=1)
    moving = problem.moves_mj[before, plan.servers].sum(axis=0)
    brown = np.maximum(busy + moving - problem.green_mj, 0)
    run_s = (plan.servers > 0) @ problem.length_s
    return EnergyBalance(busy, moving, brown, run_s, _cost(problem, brown, run_s))


def _cost(problem: ParallelProblem, brown_mj: Whole, run_s: Whole) -> Fraction:
    expected = sum(
        weight * sum(p * b for p, b in zip(problem.brown_cost.tolist(), row, strict=True))
        for weight, row in zip(problem.weight_ppm.tolist(), brown_mj.tolist(), strict=True)
    )
    waited = problem.run_cost * sum(run_s.tolist())
    return Fraction(expected, PPM * MJ_PER_KWH) + Fraction(waited, S_PER_H * len(run_s))
