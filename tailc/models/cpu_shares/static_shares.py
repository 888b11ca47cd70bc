"""Replay machines with constant CPU shares, and search the best constant shares."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tailc.forms.shares import PPM, Shares
from tailc.models.cpu_shares.given_shares import GivenShares
from tailc.models.cpu_shares.plant import HostMachines, replay

Floats = NDArray[np.float64]
# Number of candidate shares from the least to the whole host, and again around the best one.
TRIED, TRIED_NEAR = 96, 41


def best_static(shares: Shares, plant: HostMachines) -> GivenShares:
    """Search, for each machine alone, the constant share with the least throughput error.

    If these shares exceed the host together, all are cut in proportion. Ties go to the smallest
    share.
    """
    shares = _in_coarse_ticks(shares)
    machines, _ = plant.a.shape
    best = np.array([_best_alone(shares, plant, at) for at in range(machines)])
    return constant(shares, plant, within_host(shares, best))


def within_host(shares: Shares, parts: Floats) -> Floats:
    """Reduce the shares of all machines in proportion if they exceed the host together."""
    total = parts.sum()
    return parts * (shares.host_ppm / PPM / total) if total * PPM > shares.host_ppm else parts


def constant(shares: Shares, plant: HostMachines, parts: Floats) -> GivenShares:
    """Replay machines of a host with constant CPU shares.

    parts: share of each machine as a fraction of the host, float64 (machines,).
    """
    outcome = replay(shares, plant, np.repeat(parts[:, None], plant.steps, axis=1))
    return GivenShares(tuple(parts.tolist()), tuple(outcome.slo_error.tolist()))


def _in_coarse_ticks(shares: Shares) -> Shares:
    """Measure only at the windows and steps, because no model is estimated here.

    Measurements at the steps do not change, and the cost of a search does not depend on
    `estimate_us`.
    """
    if shares.window_us % shares.estimate_us:
        return shares
    return replace(shares, estimate_us=math.gcd(shares.window_us, shares.step_us))


def _best_alone(shares: Shares, plant: HostMachines, at: int) -> float:
    alone, part = replace(shares, machines=(shares.served_machines[at],)), _part(plant, at)
    least, most = max(shares.least_ppm, 1) / PPM, shares.host_ppm / PPM
    best = _best_of(np.linspace(least, most, TRIED), alone, part)
    near = (most - least) / (TRIED - 1)
    around = np.linspace(max(best - near, least), min(best + near, most), TRIED_NEAR)
    return _best_of(around, alone, part)


def _best_of(tried: Floats, alone: Shares, part: HostMachines) -> float:
    errors = [replay(alone, part, np.full((1, part.steps), s)).slo_error[0] for s in tried]
    return float(tried[int(np.argmin(errors))])


def _part(plant: HostMachines, at: int) -> HostMachines:
    rows = slice(at, at + 1)
    return HostMachines(
        a=plant.a[rows],
        b=plant.b[rows],
        disturbed=plant.disturbed[rows],
        start=plant.start[rows],
        unit=plant.unit[rows],
        contention=plant.contention[rows] * 0,
        bend=plant.bend[rows],
        offered=plant.offered[rows],
        is_reported=plant.is_reported[rows],
    )
