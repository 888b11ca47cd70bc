"""Batch work that is left beside requests, by hand."""

import numpy as np
import pytest

from tailc.forms.ladder.lanes import BATCH
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
from tailc.forms.ladder.units import POWER
from tailc.models.shared_cores.batch import batch_left, batch_use
from tailc.models.shared_cores.model import SharedCores
from tailc.models.workload import Workload
from tailc.percentiles import PPM

MS_NS, CORES, GAP_MS, REQUESTS = 1_000_000, 4, 100, 200


def left(unit: str) -> float | None:
    """By requests of 40 ms, one each 100 ms, for 20 ms at half speed beside others, then alone."""
    ladder = Ladder(
        load_axis=LoadAxis.IN_SYSTEM,
        request_class=None,
        cost_units=(CostUnit(unit), CostUnit("cores", CORES * PPM)),
        rungs=(Rung("shared", PPM // 2, (300_000, PPM)), Rung("alone", PPM, (PPM, PPM))),
        rules=(Rule.NEVER_DESCEND, Rule.REREAD_ROW),
        quantum_us=1_000,
        rows=(Row(1, None, AT_ONCE, (Climb(0, 0), Climb(20_000, 1))),),
        guard=Guard(1, 1),
    )
    work_ns, ones = np.array([40 * MS_NS]), np.ones(1, np.int64)
    load = Workload(work_ns, ones, np.zeros(1, np.int32), np.array([[0.5, 1.0]]))
    arrival_ns = np.arange(1, REQUESTS + 1) * GAP_MS * MS_NS
    engine = SharedCores("one", (ladder,)).engine(10_000, 500)
    order = np.zeros(REQUESTS, np.int32)
    return batch_left(engine.replay(load, order, arrival_ns, 0), ladder)


def test_requests_give_up_what_their_rungs_do_as_long_as_they_are_on_them():
    """Of 400 ms of cores, three tenths of 20 ms, and 30 ms alone."""
    assert left(BATCH) == pytest.approx(1 - (0.3 * 20 + 30) / (CORES * GAP_MS), rel=2e-3)


def test_where_rungs_cost_power_no_batch_work_is_given_up():
    assert left(POWER) is None


def test_the_interval_is_that_of_the_repeats_and_ends_at_what_there_is():
    use = batch_use([0.9, 1.0, 0.9, 1.0])
    # Student's t of three degrees of freedom, 3.182, times 0.1 / sqrt(3), over sqrt(4).
    half_ppm = pytest.approx(3.182 * 1e5 / 3**0.5 / 2, abs=100)
    assert (use.batch_ppm, use.high_ppm) == (950_000, PPM)
    assert use.low_ppm is not None
    assert 950_000 - use.low_ppm == half_ppm
    one = batch_use([0.25])
    assert (one.batch_ppm, one.low_ppm, one.high_ppm) == (250_000, None, None)
