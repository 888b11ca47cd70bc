"""What a plan is asked for, before there is one: when, on which energy, and for what.

Both problems of this room have it: rigid jobs on racks (`racks_problem`) and malleable jobs on a
cluster (`cluster_problem`).
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tailc.forms.plan.plan import PPM

Whole = NDArray[np.int64]
MG_PER_G = 1_000


class PlanObjective(enum.Enum):
    """What a plan is chosen for."""

    PROFIT = "profit"
    COST = "cost"


class PlanMethod(enum.Enum):
    """How a plan is found.

    ARRIVAL: jobs one after another, each where it brings most. ANNEAL: from there on, by simulated
    annealing. COLUMNS: a variable for each schedule of a job. MIP: one program for a general
    solver.
    """

    ARRIVAL = "arrival"
    ANNEAL = "anneal"
    COLUMNS = "columns"
    MIP = "mip"


@dataclass(frozen=True, eq=False)
class ExpectedSupply:
    """What each epoch of the horizon is expected to bring; int64 (epochs,) each.

    green_mw: mean green power. brown_udollars_per_kwh, brown_mg_per_kwh: price and CO2 of brown
    energy. scenarios_mw: int64 (scenarios, epochs), other ways the green power may turn out, all
    alike likely; empty: there is the forecast alone.
    """

    green_mw: Whole
    brown_udollars_per_kwh: Whole
    brown_mg_per_kwh: Whole
    scenarios_mw: Whole

    def __post_init__(self) -> None:
        epochs = (len(self.green_mw),)
        columns = (self.green_mw, self.brown_udollars_per_kwh, self.brown_mg_per_kwh)
        if any(one.shape != epochs or one.dtype != np.int64 for one in columns):
            raise ValueError("a supply is int64, one value an epoch")
        if self.scenarios_mw.shape[1:] != epochs or self.scenarios_mw.dtype != np.int64:
            raise ValueError("scenarios are int64 (scenarios, epochs)")
        if min(int(one.min(initial=0)) for one in (*columns, self.scenarios_mw)) < 0:
            raise ValueError("a supply is not negative")

    @property
    def epochs(self) -> int:
        """How many there are."""
        return len(self.green_mw)


@dataclass(frozen=True)
class Weights:
    """What brown energy counts in a decision, in micro-units.

    money: for a millionth of a dollar of its price. energy: for a kWh. carbon: for a gram of CO2.
    """

    money: int = 1
    energy: int = 0
    carbon: int = 0

    def __post_init__(self) -> None:
        told = (self.money, self.energy, self.carbon)
        if min(told) < 0 or not any(told):
            raise ValueError("weights are not negative, and one is positive")

    def of_kwh(self, udollars: int, carbon_mg: int) -> Fraction:
        """What a kWh of this price and CO2 counts, in micro-units."""
        return self.money * udollars + self.energy + Fraction(self.carbon * carbon_mg, MG_PER_G)


@dataclass(frozen=True)
class PlanSearch:
    """How to look for a plan.

    solver: a general solver's name, where one is asked. steps, seed: of annealing. aim_ppm: the
    relative gap at which a search by columns ends. nodes: limit of a general solver, None: its own.
    wall_s: after which a solver is ended, and the plan before stays in force.
    """

    method: PlanMethod
    solver: str = "highs"
    steps: int = 200
    seed: int = 1
    aim_ppm: int = 5_000
    nodes: int | None = None
    wall_s: int = 300

    def __post_init__(self) -> None:
        if min(self.steps, self.aim_ppm) < 0 or self.wall_s <= 0 or self.aim_ppm > PPM:
            raise ValueError("a search has steps, an aim and a time that are not negative")
