"""Parts that both problems of plans share: expected supply, weights and search.

The problems are rigid jobs on racks (`rigid_jobs`) and malleable jobs on a cluster
(`malleable_jobs`).
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tailc.forms.plan.ledger import MJ_PER_KWH
from tailc.forms.plan.plan import PPM

Whole = NDArray[np.int64]
MG_PER_G = 1_000


class PlanObjective(enum.Enum):
    """What a plan of jobs optimises.

    PROFIT: the largest profit, of rigid jobs. COST: the lowest cost, of malleable jobs.
    """

    PROFIT = "profit"
    COST = "cost"


class PlanMethod(enum.Enum):
    """The method by which a plan is computed.

    ARRIVAL: jobs one after another, each at its best places. ANNEAL: simulated annealing from the
    plan of ARRIVAL. COLUMNS: a variable for each schedule of a job. MIP: one program for a general
    solver.
    """

    ARRIVAL = "arrival"
    ANNEAL = "anneal"
    COLUMNS = "columns"
    MIP = "mip"


@dataclass(frozen=True, eq=False)
class ExpectedSupply:
    """Expected supply of each epoch of the horizon; int64 (epochs,) each.

    green_mw: mean green power. brown_udollars_per_kwh, brown_mg_per_kwh: price and CO2 of brown
    energy; only prices may be negative. scenarios_mw: int64 (scenarios, epochs), equally likely
    scenarios of the green power; empty: the forecast alone.
    """

    green_mw: Whole
    brown_udollars_per_kwh: Whole
    brown_mg_per_kwh: Whole
    scenarios_mw: Whole

    def __post_init__(self) -> None:
        epochs = (len(self.green_mw),)
        columns = (self.green_mw, self.brown_udollars_per_kwh, self.brown_mg_per_kwh)
        if any(one.shape != epochs or one.dtype != np.int64 for one in columns):
            raise ValueError("a supply must be int64, with one value for each epoch")
        if self.scenarios_mw.shape[1:] != epochs or self.scenarios_mw.dtype != np.int64:
            raise ValueError("scenarios must be int64 (scenarios, epochs)")
        others = self.green_mw, self.brown_mg_per_kwh, self.scenarios_mw
        if min(int(one.min(initial=0)) for one in others) < 0:
            raise ValueError("power and CO2 of a supply must not be negative")

    @property
    def epochs(self) -> int:
        """Number of epochs for which the energy supply is expected."""
        return len(self.green_mw)


@dataclass(frozen=True)
class Weights:
    """Weights by which the objective of a plan counts brown energy, in micro-units.

    money: weight of a millionth of a dollar of its price. energy: of a kWh. carbon: of a gram of
    CO2.
    """

    money: int = 1
    energy: int = 0
    carbon: int = 0

    def __post_init__(self) -> None:
        weights = (self.money, self.energy, self.carbon)
        if min(weights) < 0 or not any(weights):
            raise ValueError("weights must not be negative, and one must be above 0")

    def of_kwh(self, udollars: int, carbon_mg: int) -> Fraction:
        """Weighted cost of using a kWh with this price and CO2, in micro-units.

        0 at a negative price: then the largest power of the grid is bought anyway, and what servers
        do not use is thrown away.
        """
        return Fraction(0) if udollars < 0 else self.of_bought_kwh(udollars, carbon_mg)

    def of_bought_kwh(self, udollars: int, carbon_mg: int) -> Fraction:
        """Weighted cost of buying a kWh, negative if its price is low enough."""
        return self.money * udollars + self.energy + Fraction(self.carbon * carbon_mg, MG_PER_G)


def cost_of_grid(
    supply: ExpectedSupply, weights: Weights, grid_mw: int | None, epoch_s: int
) -> Fraction:
    """Weighted cost of the power that is bought at negative prices, in micro-units.

    It does not depend on the plan.
    """
    rows = zip(
        supply.brown_udollars_per_kwh.tolist(), supply.brown_mg_per_kwh.tolist(), strict=True
    )
    of_kwh = sum((weights.of_bought_kwh(*one) for one in rows if one[0] < 0), Fraction(0))
    return of_kwh * (grid_mw or 0) * epoch_s / MJ_PER_KWH


@dataclass(frozen=True)
class PlanSearch:
    """Settings of the search for a plan of jobs.

    method: how the plan is computed. solver: name of a general solver, if one is used. steps, seed:
    number of steps and seed of annealing. aim_ppm: relative gap at which column generation stops
    [1e-6]. nodes: node limit of a general solver; None: its default. wall_s: time limit of a
    solver; after it the current plan remains valid.
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
            raise ValueError("steps, aim and time of a search must not be negative")
