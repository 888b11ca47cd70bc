"""Helpers of test_power.py that other tests use too."""

from __future__ import annotations

from tailc.forms.ladder.table import (
    AT_ONCE,
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
from tailc.percentiles import PPM
from tests.tailc.tuning.core_case import MS

PEAK_W, SLOW_W, FAST_W = 6.0, 1.5, 4.5


def powered(*ages_us: int, unit: str = "watts") -> Ladder:
    """Rows for 1, 2, ... in the system with the age of the rung that is twice as fast."""
    rows = tuple(
        Row(load, load, AT_ONCE, (Climb(0, 0), Climb(age, 1)) if age else (Climb(0, 1),))
        for load, age in enumerate(ages_us, start=1)
    )
    return Ladder(
        load_axis=LoadAxis.IN_SYSTEM,
        request_class=None,
        cost_units=(CostUnit(unit, round(PEAK_W * PPM)), CostUnit("cores")),
        rungs=(
            Rung("1 thread at 1 GHz", PPM, (round(SLOW_W * PPM), PPM)),
            Rung("2 threads at 1 GHz", 2 * PPM, (round(FAST_W * PPM), 2 * PPM)),
        ),
        rules=(Rule.AGE_FROM_ARRIVAL, Rule.NEVER_DESCEND, Rule.REREAD_ROW),
        quantum_us=MS,
        rows=collapse(rows),
        guard=Guard(1, len(ages_us)),
    )


SLOW, FAST = powered(10_000 * MS), powered(0)
