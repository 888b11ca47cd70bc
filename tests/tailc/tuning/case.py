"""A server of four cores with two rungs above the first, and its formula's table."""

from __future__ import annotations

import numpy as np

from tailc.forms.ladder.table import (
    AT_ONCE,
    Boost,
    Climb,
    CostUnit,
    Guard,
    Ladder,
    LoadAxis,
    Row,
    Rule,
    Rung,
    collapse,
)
from tailc.models.workload import Workload
from tailc.percentiles import PPM

CORES = 4
MS = 1_000


def ladder(*ages_us: tuple[int, int], boost: bool = True) -> Ladder:
    """Rows for 1, 2, ... in the system, with the ages of two and of three threads."""
    rows = tuple(
        Row(load, load, AT_ONCE, (Climb(0, 0), Climb(second, 1), Climb(third, 2)))
        for load, (second, third) in enumerate(ages_us, start=1)
    )
    return Ladder(
        load_axis=LoadAxis.IN_SYSTEM,
        request_class=None,
        cost_units=(CostUnit("threads", CORES * PPM),),
        rungs=tuple(
            Rung(f"{threads} threads", speed, (threads * PPM,))
            for threads, speed in ((1, PPM), (2, 1_800_000), (3, 2_400_000))
        ),
        rules=(Rule.BOOST_LAST_RUNG, Rule.NEVER_DESCEND, Rule.REREAD_ROW)
        if boost
        else (Rule.NEVER_DESCEND, Rule.REREAD_ROW),
        quantum_us=5 * MS,
        rows=collapse(rows),
        guard=Guard(1, len(ages_us)),
        boost=Boost(0, CORES * PPM) if boost else None,
    )


def exponential(requests: int, mean_ms: float) -> Workload:
    """Demands at the middles of so many parts of the law, in a mixed order."""
    at = (np.arange(requests) + 0.5) / requests
    work_ns = np.rint(-mean_ms * 1e6 * np.log1p(-at)).astype(np.int64)
    mixed = np.random.default_rng(1).permutation(work_ns)
    ones = np.ones(requests, np.int64)
    return Workload(mixed, ones, np.zeros(requests, np.int32), np.array([[1.0, 1.8, 2.4]]))
