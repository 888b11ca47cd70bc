"""What requests draw that share cores: against the closed form of requests that never meet."""

from __future__ import annotations

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
from tailc.models.shared_cores.model import SharedCores
from tailc.models.shared_cores.shared_power import mean_cost_of_request
from tailc.models.workload import Workload
from tailc.percentiles import PPM

MS_NS = 1_000_000
WORK_MS = (10.0, 40.0)


def ladder(unit: str, *rungs: Rung, climb_ms: int = 20, cores: tuple[int, ...] = (4, 2)) -> Ladder:
    """From the first rung to the second at an age; requests share cores of so many kinds."""
    kinds = (CostUnit(f"cores {at}", count * PPM) for at, count in enumerate(cores))
    return Ladder(
        load_axis=LoadAxis.IN_SYSTEM,
        request_class=None,
        cost_units=(CostUnit(unit), *kinds),
        rungs=rungs,
        rules=(Rule.NEVER_DESCEND, Rule.REREAD_ROW),
        quantum_us=1_000,
        rows=(Row(1, None, AT_ONCE, (Climb(0, 0), Climb(climb_ms * 1_000, 1))),),
        guard=Guard(1, 1),
    )


def drawn(table: Ladder, gap_ms: float = 100.0, requests: int = 200) -> float | None:
    """By request, in units times ms, of requests of 10 and of 40 ms that come so far apart."""
    speed = np.array([[rung.speed_ppm / PPM for rung in table.rungs]])
    work_ns = np.array(WORK_MS) * MS_NS
    ones, curve = np.ones(2, np.int64), np.zeros(2, np.int32)
    load = Workload(work_ns.astype(np.int64), ones, curve, speed)
    order = np.tile(np.array([0, 1], np.int32), requests // 2)
    arrival_ns = np.rint(np.arange(1, requests + 1) * gap_ms * MS_NS).astype(np.int64)
    outcome = SharedCores("one", (table,)).engine(10_000, 500).replay(load, order, arrival_ns, 0)
    found = mean_cost_of_request(outcome, table)
    return None if found is None else found / MS_NS


SLOW, FAST = (
    Rung("1 on slow", PPM, (PPM, PPM, 0)),
    Rung("2 on fast", 4 * PPM, (12 * PPM, 0, 2 * PPM)),
)


def test_each_type_of_cores_draws_its_own_power():
    """The long one does 20 of its 40 ms in 20 ms at 1, the others in 5 ms at 12."""
    assert drawn(ladder(POWER, SLOW, FAST)) == pytest.approx((10 + 20 + 5 * 12) / 2, rel=0.01)


def test_beside_batch_work_a_part_of_it_is_given_up():
    """Shared at half speed: the short one shares for 20 ms, the long one has 30 ms left alone."""
    shared, alone = Rung("shared", PPM // 2, (300_000, PPM)), Rung("alone", PPM, (PPM, PPM))
    table = ladder(BATCH, shared, alone, cores=(4,))
    assert drawn(table) == pytest.approx((20 * 0.3 + 20 * 0.3 + 30) / 2, rel=0.01)


def test_a_request_that_is_stopped_draws_nothing():
    """Two fast cores for all: however long requests take, it is the work that draws."""
    at_once = ladder(POWER, SLOW, FAST, climb_ms=1, cores=(4, 2))
    crowded = drawn(at_once, gap_ms=7.0)
    assert crowded == pytest.approx(1 + 6.0 * (25 - 1) / 2, rel=0.05)


def test_where_rungs_cost_threads_alone_nothing_is_told():
    table = ladder("threads", SLOW, FAST)
    assert drawn(table) is None
