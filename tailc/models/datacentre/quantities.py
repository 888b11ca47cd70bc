"""Quantities of a replay of jobs and energy in each window, reported as means."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.forms.plan.ledger import MJ_PER_KWH, Ledger

UDOLLARS = 1_000_000
_MG_PER_KG = 1_000_000
Floats = NDArray[np.float64]


class JobQuantity(enum.Enum):
    """A reported quantity of a replayed window of jobs, by its name in JSON.

    `better` is 1 if more is better, -1 if less is better, else 0. PROFIT, COST: dollars per window.
    BROWN, GREEN, SPILLED: energy from the grid, green energy used, and green energy not used [kWh
    per window]. GIVEN: energy from a battery; LOST: energy lost in charging it [kWh per window].
    CO2: kg per window. ADMITTED, DONE: share of the jobs. VIOLATIONS: share of the admitted jobs
    whose promise was broken. LATE: share of the finished jobs that ran too long. RUN: mean run time
    of a job [h]. RELATIVE: run time relative to that under constant allocation. SERVERS, VMS: mean
    number of a running job.
    """

    PROFIT = ("profit_dollars", 1)
    COST = ("cost_dollars", -1)
    BROWN = ("brown_kwh", -1)
    GREEN = ("green_kwh", 0)
    SPILLED = ("spilled_kwh", 0)
    GIVEN = ("battery_kwh", 0)
    LOST = ("lost_kwh", 0)
    CO2 = ("co2_kg", -1)
    ADMITTED = ("admitted", 0)
    DONE = ("done", 1)
    VIOLATIONS = ("violations", -1)
    LATE = ("late", -1)
    RUN = ("run_hours", -1)
    RELATIVE = ("relative_run", -1)
    SERVERS = ("servers", 0)
    VMS = ("vms", 0)

    def __init__(self, key: str, better: int) -> None:
        self.key = key
        self.better = better


@dataclass(frozen=True, eq=False)
class QuantitySample:
    """A quantity in each window, as a numerator and a denominator; float64 (windows,).

    parts: numerators. wholes: denominators, 1 for a quantity that is not a ratio.
    """

    parts: Floats
    wholes: Floats

    @classmethod
    def from_values(cls, values: Sequence[float]) -> QuantitySample:
        """Make the sample of a quantity that is not a ratio, from one value for each window."""
        return cls(np.array(values, float), np.ones(len(values)))

    @classmethod
    def ratio(cls, parts: Sequence[float], wholes: Sequence[float]) -> QuantitySample:
        """Make the sample of a ratio from a numerator and a denominator for each window."""
        return cls(np.array(parts, float), np.array(wholes, float))


QuantitySamples = Mapping[JobQuantity, QuantitySample]
"""All quantities of one policy, in the order of the report."""


def energy_samples(books: Sequence[Ledger]) -> QuantitySamples:
    """Compute the energy quantities of each window of days from its ledger.

    They are brown, green and spilled energy, output and losses of a battery, and CO2.
    """
    return {
        JobQuantity.BROWN: _kwh([one.brown_mj for one in books]),
        JobQuantity.GREEN: _kwh([one.green_used_mj for one in books]),
        JobQuantity.SPILLED: _kwh([one.spilled_mj for one in books]),
        JobQuantity.GIVEN: _kwh([one.discharged_mj for one in books]),
        JobQuantity.LOST: _kwh([one.lost_mj for one in books]),
        JobQuantity.CO2: QuantitySample.from_values(
            [float(one.brown_mg / _MG_PER_KG) for one in books]
        ),
    }


def _kwh(millijoules: Sequence[int]) -> QuantitySample:
    return QuantitySample.from_values([one / MJ_PER_KWH for one in millijoules])
