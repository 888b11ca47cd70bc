"""Helpers of test_table.py that other tests use too."""

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
)

ONE = Rung("1 thread", 1_000_000, (1_000_000,))
TWO = Rung("2 threads", 1_900_000, (2_000_000,))
START_LOW = (Climb(0, 0), Climb(5_000, 1))


def ladder(**changes):
    parts = {
        "load_axis": LoadAxis.IN_SYSTEM,
        "request_class": None,
        "cost_units": (CostUnit("threads", 4_000_000),),
        "rungs": (ONE, TWO),
        "rules": (Rule.NEVER_DESCEND, Rule.REREAD_ROW),
        "quantum_us": 5_000,
        "rows": (Row(1, None, AT_ONCE, START_LOW),),
        "guard": Guard(1, 8),
    }
    return Ladder(**(parts | changes))
