"""Points and their tables."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tailc.experiment.tuning_objective import OptionalRule
from tailc.forms.ladder.sharing import Sharing
from tailc.forms.ladder.table import (
    AT_ONCE,
    ON_EXIT,
    Admission,
    AdmissionKind,
    Boost,
    Climb,
    CostUnit,
    Rule,
    Rung,
)
from tailc.percentiles import PPM
from tailc.tuning.shared_cores_space import MOST_STARTS, shared_cores_space
from tests.tailc.tuning.case import CORES, MS, ladder
from tests.tailc.tuning.shared_cores_space_case import climbs_at, row_at

TAIL_US = 100 * MS
BASE = ladder((10 * MS, 20 * MS))
LINES = shared_cores_space(BASE, TAIL_US, CORES)


def delayed(delays, climbs, admission=9.0):
    """The table of a family of few knots where rows have delays."""
    family = replace(LINES, has_delays=True)
    return family.table(family.point(np.array([delays, *climbs]), admission, 1.0))


def test_ages_are_lines_over_the_load_in_tails():
    """Knots are at 1 and at 4 in the system; beyond them the lines go on."""
    assert LINES.knots.tolist() == [1, 4]
    point = LINES.point(np.array([[0.0, 0.3], [0.2, 0.5]]), 9.0, 1.0)
    table = LINES.table(point)
    assert climbs_at(table, 1) == (Climb(0, 1), Climb(20 * MS, 2))
    assert climbs_at(table, 2) == (Climb(0, 0), Climb(10 * MS, 1), Climb(30 * MS, 2))
    assert climbs_at(table, 6) == (Climb(0, 0), Climb(50 * MS, 1), Climb(70 * MS, 2))


def test_a_rung_that_a_higher_one_comes_before_is_left_out():
    point = LINES.point(np.array([[0.4, 0.4], [0.2, 0.2]]), 9.0, 1.0)
    assert climbs_at(LINES.table(point), 1) == (Climb(0, 0), Climb(20 * MS, 2))


def test_who_would_climb_long_after_the_tail_never_does():
    point = LINES.point(np.array([[0.1, 0.1], [9.0, 9.0]]), 9.0, 1.0)
    assert climbs_at(LINES.table(point), 1) == (Climb(0, 0), Climb(10 * MS, 1))


def test_requests_wait_for_an_exit_and_are_boosted_from_so_many_on():
    point = LINES.point(np.zeros((2, 2)), 1.5, 2.0)
    table = LINES.table(point)
    kinds = {row.first_load: row.admission.kind for row in table.rows}
    assert kinds == {1: AdmissionKind.AT_ONCE, 7: AdmissionKind.ON_EXIT}
    assert table.boost == Boost(0, 8 * PPM)


def test_requests_wait_for_a_time_that_grows_with_the_load():
    table = delayed([-0.1, 0.2], [[0.0, 0.3], [0.2, 0.5]], admission=1.25)
    delays_ms = [row_at(table, load).admission.delay_us / MS for load in range(1, 6)]
    assert delays_ms == [0, 0, 10, 20, 30]
    assert row_at(table, 1).admission == AT_ONCE
    assert row_at(table, 6).admission == ON_EXIT


def test_a_request_may_wait_past_the_age_at_which_it_would_climb():
    table = delayed([0.4, 0.4], [[0.1, 0.1], [0.5, 0.5]])
    assert row_at(table, 1).admission == Admission.after_delay(40 * MS)
    assert climbs_at(table, 1) == (Climb(0, 0), Climb(10 * MS, 1), Climb(50 * MS, 2))


def test_who_would_wait_long_after_the_tail_waits_for_an_exit():
    table = delayed([0.0, 9.0], [[0.1, 0.1], [0.5, 0.5]])
    assert row_at(table, 3).admission == Admission.after_delay(600 * MS)
    assert row_at(table, 4).admission == ON_EXIT


def test_searches_begin_by_the_formula_and_on_each_of_the_lower_rungs():
    """Twelve cores, and rungs that take one to four of them."""
    base = ladder((10 * MS, 20 * MS))
    rungs = tuple(Rung(f"{n} threads", n * PPM, (n * PPM,)) for n in (1, 2, 3, 4))
    units = (CostUnit("threads", 12 * PPM),)
    family = shared_cores_space(replace(base, cost_units=units, rungs=rungs), TAIL_US, 12)
    starts = list(family.starts())
    assert len(starts) == MOST_STARTS
    parts = [family.others_of(start)[0] for start in starts]
    assert parts == pytest.approx([2.5, 1.0, 0.6, 1.2, 0.6, 0.4])
    formula, *others = [climbs_at(family.table(start), 12) for start in starts[2:]]
    assert formula[:3] == (Climb(0, 0), Climb(10 * MS, 1), Climb(20 * MS, 2))
    assert others == [
        (Climb(0, 0), Climb(90 * MS, 3)),
        (Climb(0, 1), Climb(90 * MS, 3)),
        (Climb(0, 2), Climb(90 * MS, 3)),
    ]


def test_a_ladder_of_two_rungs_has_fewer_starts():
    base = ladder((10 * MS, 20 * MS))
    row = replace(base.rows[0], climbs=(Climb(0, 0), Climb(10 * MS, 1)), last_load=None)
    family = shared_cores_space(replace(base, rungs=base.rungs[:2], rows=(row,)), TAIL_US, CORES)
    assert len(list(family.starts())) == 4


def test_a_ladder_without_boosting_gets_none():
    family = shared_cores_space(ladder((10 * MS, 20 * MS), boost=False), TAIL_US, CORES)
    point = family.point(np.zeros((2, 2)), 1.5, 2.0)
    assert len(point) == 5
    assert family.table(point).boost is None


def test_a_table_of_lines_is_one_of_curves():
    coarse = LINES.point(np.array([[0.0, 0.3], [0.2, 0.5]]), 1.5, 2.0)
    fine = LINES.finer()
    assert fine.has_delays
    assert fine.table(LINES.refine(coarse, fine)) == LINES.table(coarse)


@given(st.lists(st.floats(-3, 12), min_size=32, max_size=32))
def test_every_point_is_a_table_that_grows_with_the_load(numbers):
    family = LINES.finer()
    assert len(family.point(np.zeros((3, 10)), 0, 0)) == 32
    table = family.table(np.array(numbers))
    assert table.rows[-1].last_load is None
    ages = [
        [
            10**9 if row.admission == ON_EXIT else row.admission.delay_us,
            *(
                min((climb.age_us for climb in row.climbs if climb.rung >= rung), default=10**9)
                for rung in (1, 2)
            ),
        ]
        for row in table.rows
    ]
    assert all(
        a <= b for low, high in itertools.pairwise(ages) for a, b in zip(low, high, strict=True)
    )
    assert all(climb.age_us % family.step_us == 0 for row in table.rows for climb in row.climbs)
    assert all(row.admission.delay_us % family.step_us == 0 for row in table.rows)


@pytest.mark.parametrize("cores", [1, 2, 15, 4096])
def test_knots_are_apart_on_any_server(cores):
    family = shared_cores_space(BASE, TAIL_US, cores)
    for one in (family, family.finer()):
        assert one.knots[0] >= 1
        assert (np.diff(one.knots) >= 1).all()


def test_a_very_large_server_has_rows_of_several_loads():
    family = shared_cores_space(BASE, TAIL_US, 4096)
    table = family.table(family.point(np.array([[0.0, 9.0], [0.2, 9.0]]), 2.0, 1.0))
    assert len(table.rows) > 100
    assert all((row.first_load - 1) % 11 == 0 for row in table.rows)
    assert table.guard.max_load == 10_240


@pytest.mark.parametrize(
    ("tail_us", "step_us"), [(1, 1), (1_999, 1), (390_000, 1_000), (10**7, 10_000)]
)
def test_ages_are_as_fine_as_the_tail_asks_for(tail_us, step_us):
    assert shared_cores_space(BASE, tail_us, CORES).step_us == step_us


def test_nobody_waits_where_that_is_not_wanted():
    family = shared_cores_space(BASE, TAIL_US, CORES, may_wait=False)
    table = family.table(family.point(np.zeros((2, 2)), 0.5, 1.0))
    assert {row.admission.kind for row in table.rows} == {AdmissionKind.AT_ONCE}
    assert not family.finer().has_delays
    assert len({family.table(start).rows for start in family.starts()}) == 3


def test_a_table_with_every_freedom_starts_by_what_is_in_use_and_gives_up():
    family = shared_cores_space(BASE, TAIL_US, CORES, optional_rules=tuple(OptionalRule))
    point = family.point(np.zeros((2, 2)), 0.8, 1.0, 0.957)
    table = family.table(point)
    # 0.8 of four cores are three threads, and 95.7 ms are on the grid of 100 us
    assert table.sharing == Sharing(0, 3 * PPM, 95_700)
    assert {row.admission.kind for row in table.rows} == {AdmissionKind.AT_ONCE}
    rules = {Rule.START_BELOW, Rule.GIVE_UP}
    assert set(table.rules) == (set(BASE.rules) | rules) - {Rule.NEVER_DESCEND}
    fine = family.finer()
    assert fine.table(family.refine(point, fine)) == table


@pytest.mark.parametrize("optional_rules", [(), tuple(OptionalRule)])
def test_a_table_of_curves_is_that_of_the_point_next_to_it(optional_rules):
    family = shared_cores_space(BASE, TAIL_US, CORES, optional_rules=optional_rules).finer()
    bent = [[-0.5, 0.1], [0.2, 0.3], [0.6, 0.9]][-family.aged_rungs :]
    ages = np.linspace(*np.transpose(bent), num=len(family.knots), axis=1) ** 3
    table = family.table(family.point(ages, 1.5, 0.75, 1.2))
    assert family.table(family.next_to(table)) == table


def test_each_freedom_stands_alone():
    point = np.zeros(6)
    by_row = shared_cores_space(BASE, TAIL_US, CORES, optional_rules=(OptionalRule.MAY_DESCEND,))
    assert by_row.table(point).sharing is None
    late = shared_cores_space(BASE, TAIL_US, CORES, optional_rules=(OptionalRule.GIVE_UP,))
    assert late.table(late.point(np.zeros((2, 2)), 0.5, 1.0)).sharing == Sharing(give_up_us=TAIL_US)


def test_a_climb_takes_no_thread_away():
    """The second rung is faster on one thread of a core of another type than two on the first."""
    units = (CostUnit("slow cores", 4 * PPM), CostUnit("fast cores", 3 * PPM))
    rungs = (
        Rung("2 threads on slow", PPM, (2 * PPM, 0)),
        Rung("1 thread on fast", 2 * PPM, (0, PPM)),
        Rung("3 threads on fast", 4 * PPM, (0, 3 * PPM)),
    )
    base = replace(BASE, cost_units=units, rungs=rungs, boost=Boost(1, 3 * PPM))
    family = shared_cores_space(base, TAIL_US, CORES)
    late = family.table(family.point(np.array([[0.1, 0.1], [0.5, 0.5]]), 9.0, 2.0))
    assert climbs_at(late, 1) == (Climb(0, 0), Climb(50 * MS, 2))
    early = family.table(family.point(np.array([[0.0, 0.0], [0.5, 0.5]]), 9.0, 2.0))
    assert climbs_at(early, 1) == (Climb(0, 1), Climb(50 * MS, 2))
    # What is boosted counts in threads on the cores of the last rung, of which there are three.
    assert early.boost == Boost(1, 6 * PPM)
    assert family.others_of(family.next_to(early))[1] == 2.0
