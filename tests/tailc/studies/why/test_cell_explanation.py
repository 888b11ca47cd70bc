"""What a cell buys, where arithmetic says what it must be."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from tailc.errors import TailcError
from tailc.forms.ladder.overload import Overload
from tailc.forms.ladder.table import AT_ONCE, Climb, Row
from tailc.models.arrivals import Poisson
from tailc.studies.why.cell_explanation import CellQuery, InputChange, explain_cell
from tailc.studies.why.decision import decision
from tailc.studies.why.occupancy import OccupancyShares
from tailc.studies.why.perturbations import RowEdit
from tests.tailc.models.shared_cores.servers import overloaded
from tests.tailc.tuning import core_case
from tests.tailc.tuning.case import MS, exponential, ladder

MEAN_MS, TOP, SECOND = 30.0, 2.4, 1.8
LOAD = exponential(2_000, MEAN_MS)
IDLE = CellQuery(950_000, Poisson(100), requests=2_000, threads=1)
# Nobody ever climbs; and those who are alone have three threads from 5 ms on, or from the start.
ALONE = ladder((10_000 * MS, 20_000 * MS))


def first_row(*climbs):
    others = replace(ALONE.rows[0], first_load=2)
    return replace(ALONE, rows=(Row(1, 1, AT_ONCE, climbs), others))


SPRINT = first_row(Climb(0, 0), Climb(5 * MS, 2))
AT_ONCE_ON_THREE = first_row(Climb(0, 2))


@pytest.fixture(scope="module")
def sprint():
    """At a request in ten seconds hardly any meets another."""
    return explain_cell(decision(SPRINT, 1, 20 * MS), LOAD, ALONE, IDLE)


def tails(edits):
    return {one.edit: found for one, found in edits}


def tail_ms():
    """95 % of an exponential law."""
    return -MEAN_MS * math.log(0.05)


def test_on_an_idle_server_all_pass_the_row_of_one_request(sprint):
    there = sprint.presence
    assert there.requests_ppm > 999_000
    assert there.held_time_ppm > 990_000


def test_so_many_get_as_old_as_have_that_much_work(sprint):
    """By 20 ms a request has done 5 + 2.4 * 15 ms of work."""
    longer = math.exp(-(5 + TOP * 15) / MEAN_MS)
    assert sprint.presence.turning_ppm == pytest.approx(1e6 * longer, rel=0.03)


def test_a_row_that_does_not_occur_has_no_share_and_binds_nothing():
    *rows, last = SPRINT.rows
    crowd = Row(31, None, AT_ONCE, (Climb(0, 1),))
    table = replace(SPRINT, rows=(*rows, replace(last, last_load=30), crowd))
    found = explain_cell(decision(table, 40, 20 * MS), LOAD, None, IDLE)
    assert found.presence == OccupancyShares(0, 0, 0, 0)
    assert [one.edit for one, _ in found.edits] == [RowEdit.LATER, RowEdit.LOWER, RowEdit.HIGHER]
    assert found.better == found.worse == ()


def test_a_later_climb_costs_what_the_slower_rung_leaves_undone(sprint):
    """Five more milliseconds at speed 1 instead of 2.4."""
    later = tails(sprint.edits)[RowEdit.LATER].tail
    assert later.mean == pytest.approx(5 * (1 - 1 / TOP) * MS, rel=0.02)
    assert later.low > 0


def test_a_rung_lower_takes_longer_by_the_ratio_of_speeds(sprint):
    lower = tails(sprint.edits)[RowEdit.LOWER].tail
    slower_ms = (tail_ms() - 5) * (1 / SECOND - 1 / TOP)
    assert lower.mean == pytest.approx(slower_ms * MS, rel=0.02)


def test_a_row_that_can_be_better_is_said_to_be(sprint):
    """A quantum earlier it climbs at the start."""
    assert [one.edit for one in sprint.better] == [RowEdit.EARLIER]
    earlier = tails(sprint.edits)[RowEdit.EARLIER].tail
    assert earlier.mean == pytest.approx(-5 * (1 - 1 / TOP) * MS, rel=0.02)


def test_a_row_is_at_its_best_where_every_change_is_worse():
    found = explain_cell(decision(AT_ONCE_ON_THREE, 1, 0), LOAD, None, IDLE)
    assert [one.edit for one in found.worse] == [RowEdit.LATER, RowEdit.LOWER]
    assert found.better == ()


def test_other_inputs_move_an_idle_server_s_tail_as_they_move_the_work(sprint):
    found, base = dict(sprint.inputs), sprint.as_it_is.tail_us
    work_ms = (base / MS - 5) * TOP + 5
    more, fewer = found[InputChange.MORE_DEMAND], found[InputChange.FEWER_CORES]
    assert more.tail_us == pytest.approx((5 + (1.1 * work_ms - 5) / TOP) * MS, rel=0.005)
    slower = 5 + (work_ms - 5) / (0.9 * TOP)
    assert found[InputChange.LESS_SPEED].tail_us == pytest.approx(slower * MS, rel=0.005)
    assert abs(found[InputChange.HIGHER_RATE].tail.mean) < 0.01 * base
    assert abs(fewer.tail.mean) < 0.01 * base


def test_the_formula_s_row_does_what_its_table_does_where_no_other_occurs(sprint):
    formula = sprint.formula
    assert formula.decision.rung == 0
    assert formula.row.tail_us == pytest.approx(tail_ms() * MS, rel=0.05)
    assert formula.table.tail_us == pytest.approx(formula.row.tail_us, rel=0.01)


def test_where_requests_pile_up_there_is_no_tail_to_tell():
    with pytest.raises(TailcError, match="pile up"):
        explain_cell(
            decision(ALONE, 1, 0), LOAD, None, CellQuery(950_000, Poisson(400_000), threads=1)
        )


def test_of_requests_that_are_all_refused_there_is_no_tail():
    """One comes each microsecond, and the first runs for longer than all of them take to come."""
    table = overloaded(ALONE, Overload(shed_from=1))
    asked = replace(IDLE, arrivals=Poisson(10**9), requests=20)
    works = replace(LOAD, work_ns=LOAD.work_ns + MS * 1_000)
    with pytest.raises(TailcError, match="all requests that are measured are refused"):
        explain_cell(decision(table, 1, 0), works, None, asked)


def test_on_a_core_of_its_own_a_faster_clock_buys_time_for_power():
    """At one request a second of 30 ms, twice as fast at six times the power of the slow clock."""
    table = core_case.clocked(10_000 * MS)
    asked = replace(IDLE, arrivals=Poisson(1_000))
    found = explain_cell(decision(table, 1, 0), core_case.exponential(2_000, MEAN_MS), None, asked)
    busy = MEAN_MS / 1_000
    slow = core_case.IDLE_W * (1 - busy) + core_case.SLOW_W * busy
    fast = core_case.IDLE_W * (1 - busy / 2) + core_case.FAST_W * busy / 2
    assert found.as_it_is.used_ppm == pytest.approx(slow * 1e6, rel=0.01)
    higher = tails(found.edits)[RowEdit.HIGHER]
    assert higher.used is not None
    assert higher.used.mean == pytest.approx((fast - slow) * 1e6, rel=0.05)
    assert higher.tail_us == pytest.approx(tail_ms() / 2 * MS, rel=0.05)
    assert "a core fewer" not in dict(found.inputs)
