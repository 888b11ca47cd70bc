"""A core that changes its frequency, and its formula's table."""

from __future__ import annotations

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
    collapse,
)
from tailc.models.workload import Workload
from tailc.percentiles import PPM

MS = 1_000
SLOW_W, FAST_W, IDLE_W = 1, 6, 0.5


def clocked(*ages_us: int, cores: int = 1) -> Ladder:
    """Rows for 1, 2, ... in the system, with the age of the fast clock, twice as fast."""
    rows = tuple(
        Row(load, load, AT_ONCE, (Climb(0, 0), Climb(age, 1)) if age else (Climb(0, 1),))
        for load, age in enumerate(ages_us, start=1)
    )
    return Ladder(
        load_axis=LoadAxis.IN_SYSTEM,
        request_class=None,
        cost_units=(CostUnit("cores", cores * PPM), CostUnit("power")),
        rungs=(
            Rung("slow", PPM, (PPM, SLOW_W * PPM)),
            Rung("fast", 2 * PPM, (PPM, FAST_W * PPM)),
        ),
        rules=(Rule.AGE_FROM_ARRIVAL, Rule.CORE_PER_REQUEST, Rule.NEVER_DESCEND, Rule.REREAD_ROW),
        quantum_us=MS,
        rows=collapse(rows),
        guard=Guard(1, len(ages_us)),
        power=Power(1, (round(IDLE_W * PPM), 0)),
    )


def exponential(requests: int, mean_ms: float) -> Workload:
    """Demands at the middles of so many parts of the law, in a mixed order."""
    at = (np.arange(requests) + 0.5) / requests
    work_ns = np.rint(-mean_ms * 1e6 * np.log1p(-at)).astype(np.int64)
    mixed = np.random.default_rng(1).permutation(work_ns)
    ones = np.ones(requests, np.int64)
    return Workload(mixed, ones, np.zeros(requests, np.int32), np.array([[1.0, 2.0]]))
