"""Helpers of test_core_ladder.py that other tests use too."""

from __future__ import annotations

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

PPM = 1_000_000
SLOW = Rung("slow", PPM, (PPM, 0, PPM))
FAST = Rung("fast", 2 * PPM, (0, PPM, 6_800_000), 500)


def cores(**changes):
    """13 slow and 2 fast cores."""
    parts = {
        "load_axis": LoadAxis.IN_SYSTEM,
        "request_class": None,
        "cost_units": (CostUnit("slow", 13 * PPM), CostUnit("fast", 2 * PPM), CostUnit("power")),
        "rungs": (SLOW, FAST),
        "rules": (Rule.AGE_FROM_ARRIVAL, Rule.CORE_PER_REQUEST, Rule.MAKE_ROOM),
        "quantum_us": 1_000,
        "rows": (Row(0, None, AT_ONCE, (Climb(0, 0), Climb(109_000, 1))),),
        "guard": Guard(0, 40),
        "power": Power(2, (50_000, 340_000, 0)),
    }
    return Ladder(**(parts | changes))
