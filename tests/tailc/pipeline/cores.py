"""Small threshold problems, and the ladder of a server of cores."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tailc.forms.ladder.table import (
    AT_ONCE,
    Climb,
    CostUnit,
    Guard,
    Ladder,
    LoadAxis,
    Power,
    Row,
    Rule,
    Rung,
)
from tailc.problems.thresholds import (
    SolverLimits,
    ThresholdMethod,
    ThresholdObjective,
    ThresholdProblem,
)
from tailc.traces.profile import DemandProfile, Measure

PPM = 1_000_000
MS = 1_000


def profile(demand_ms, curves=((1.0, 2.0),), curve_of=None) -> DemandProfile:
    count = len(demand_ms)
    return DemandProfile(
        demand_ms=np.array(demand_ms, dtype=np.float64),
        weight=np.ones(count, dtype=np.int64),
        curves=np.array(curves, dtype=np.float64),
        curve_of=np.array(curve_of or [0] * count, dtype=np.int32),
        curve_names=(),
        measure=Measure.DEMAND_BUSY,
        reference="slow",
    )


PROBLEM = ThresholdProblem(
    profile=profile([50.0, 291.0]),
    power_ppm=(1 * PPM, 8 * PPM),
    static_ppm=0,
    is_in_watts=False,
    objective=ThresholdObjective.ENERGY,
    percentile_ppm=990_000,
    target_us=200 * MS,
    method=ThresholdMethod.DUAL,
    solver=None,
    limits=SolverLimits(60.0, 2_048),
)


def problem(**changes) -> ThresholdProblem:
    """Two requests of 50 and 291 ms on cores of speeds 1 and 2, powers 1 and 8, p99 <= 200 ms."""
    return replace(PROBLEM, **changes)


def ladder(*age_us: int, slow: int = 6, fast: int = 2) -> Ladder:
    """Slow cores of speed 1, fast ones of speed 2; climbs at the ages given."""
    return Ladder(
        load_axis=LoadAxis.IN_SYSTEM,
        request_class=None,
        cost_units=(
            CostUnit("slow", slow * PPM),
            CostUnit("fast", fast * PPM),
            CostUnit("power"),
        ),
        rungs=(
            Rung("slow", PPM, (PPM, 0, PPM)),
            Rung("fast", 2 * PPM, (0, PPM, 8 * PPM)),
        ),
        rules=(Rule.AGE_FROM_ARRIVAL, Rule.CORE_PER_REQUEST, Rule.MAKE_ROOM, Rule.NEVER_DESCEND),
        quantum_us=5 * MS,
        rows=(Row(1, None, AT_ONCE, (Climb(0, 0), *(Climb(age, 1) for age in age_us))),),
        guard=Guard(1, slow + fast),
        power=Power(2, (0, 0, 0)),
    )
