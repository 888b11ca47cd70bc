"""Helpers of test_core.py that other tests use too."""

import dataclasses

import numpy as np
from tailc_solvers.colocation.core import SharedCore
from tailc_solvers.power.voltage import HASWELL

GRID = np.round(np.arange(0.8, 3.5, 0.2), 1)


def switching(nanofarad, amps=0.5):
    """Power of a core of Haswell's voltage by frequency."""
    volt = HASWELL.volt(1_000 * GRID)
    return amps * volt + nanofarad * volt**2 * GRID


def core(**changed):
    usual = SharedCore(
        freq_ghz=GRID,
        nominal_ghz=2.4,
        critical_power_w=switching(2.5),
        batch_power_w=switching(3.0),
        critical_memory=0.2,
        batch_memory=0.3,
        utilization=0.3,
        shared_w=4.0,
    )
    return dataclasses.replace(usual, **changed)


def random_cores(count, seed=5):
    draw = np.random.default_rng(seed)
    for _ in range(count):
        yield core(
            critical_power_w=switching(draw.uniform(0.5, 4), draw.uniform(0, 3)),
            batch_power_w=switching(draw.uniform(0.5, 4), draw.uniform(0, 3)),
            critical_memory=draw.uniform(0, 0.9),
            batch_memory=draw.uniform(0, 0.9),
            utilization=draw.uniform(0.05, 1.1),
            shared_w=draw.uniform(0, 20),
        )
