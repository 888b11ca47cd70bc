"""Rungs that join threads and frequencies, in words."""

from dataclasses import replace

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
from tailc.forms.ladder.units import shared_unit
from tailc.report.rungs import is_joint, rungs_text
from tailc.report.verdict.text import as_text
from tests.tailc.report import verdicts_made

PPM = 1_000_000
JOINT = Ladder(
    load_axis=LoadAxis.IN_SYSTEM,
    request_class=None,
    cost_units=(CostUnit("watts", 40 * PPM), CostUnit("cores")),
    rungs=(
        Rung("1 thread at 2 GHz", 500_000, (2 * PPM, PPM)),
        Rung("2 threads at 4 GHz", 1_600_000, (16 * PPM, 2 * PPM)),
    ),
    rules=(Rule.NEVER_DESCEND,),
    quantum_us=5_000,
    rows=(Row(1, None, AT_ONCE, (Climb(0, 0),)),),
    guard=Guard(1, 1),
)


def test_a_rung_tells_its_speed_its_costs_and_what_work_costs():
    assert rungs_text(JOINT).splitlines() == [
        "rung                speed  watts  cores  watts by work",
        "1 thread at 2 GHz     0.5      2      1              4",
        "2 threads at 4 GHz    1.6     16      2             10",
        "requests share 40 watts",
    ]


def test_rungs_that_are_threads_are_told_by_their_speed_ups():
    threads = replace(JOINT, cost_units=(CostUnit("threads", 4 * PPM), CostUnit("cores")))
    assert is_joint(JOINT)
    assert not is_joint(threads)


def test_requests_compete_for_the_one_limited_cost_unit():
    assert shared_unit(JOINT) == "watts"
    both = (CostUnit("big", 4 * PPM), CostUnit("little", 4 * PPM))
    assert shared_unit(replace(JOINT, cost_units=both)) == "threads"


def test_a_verdict_counts_what_requests_share():
    text = as_text(replace(verdicts_made.BOTH, shared="watts"))
    assert "watt time" in text
    assert "peak power that was used" in text
    assert "threads" not in text
