"""A policy with a class of requests for each number of threads, for timings and for baselines."""

from __future__ import annotations

from pathlib import Path

import tailc
from tailc.artifact.envelope import Evidence, Policy
from tailc.forms.ladder.table import AT_ONCE, Climb, Guard, Ladder, LoadAxis, Row, Rung
from tailc.specs.slo import Slo
from tailc.traces.profile import Measure
from tailc.traces.reading import (
    CommonCurve,
    Curve,
    DemandColumn,
    DemandReading,
    Rows,
    TimeUnit,
    ValueMeaning,
)

PPM = 1_000_000
QUANTUM_US = 1_000_000
NOT_READ = DemandReading(
    ValueMeaning(Measure.DEMAND_BUSY, "one thread", TimeUnit.MS),
    Rows(),
    DemandColumn("duration_ms"),
    CommonCurve(Curve(None, (PPM,))),
)
BY_HAND = Evidence("none", "by-hand", "by-definition", "", (), 0, (), ())


def write_fixed(service: str, degrees: int, stem: Path) -> Path:
    """The `.tailc` whose class `2` starts each request at once on two threads, and so on.

    Requests without a class have one thread.
    """
    ladders = (
        fixed_ladder(None, 1),
        *(fixed_ladder(str(threads), threads) for threads in range(1, degrees + 1)),
    )
    slo = Slo(990_000, 1_000_000)
    policy = Policy(service, "few-to-many", 1, (slo,), (), ladders, (), NOT_READ, BY_HAND)
    return tailc.write_artifact(policy, stem)[1]


def fixed_ladder(request_class: str | None, threads: int) -> Ladder:
    """Every request of the class starts at once on one rung."""
    return Ladder(
        load_axis=LoadAxis.IN_SYSTEM,
        request_class=request_class,
        cost_units=(),
        rungs=(Rung(f"d{threads}", PPM, (), threads=threads),),
        rules=(),
        quantum_us=QUANTUM_US,
        rows=(Row(0, None, AT_ONCE, (Climb(0, 0),)),),
        guard=Guard(0, 0),
    )
