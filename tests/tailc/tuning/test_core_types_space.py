"""Points and their tables where a request has a core to itself."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tailc.forms.ladder.table import Climb, Rule
from tailc.tuning.core_types_space import STARTS, core_types_space
from tests.tailc.tuning.case import MS
from tests.tailc.tuning.core_case import clocked
from tests.tailc.tuning.shared_cores_space_case import climbs_at

TARGET_US = 100 * MS
BASE = clocked(40 * MS, cores=6)
LINES = core_types_space(BASE, TARGET_US, 6)


def test_ages_are_lines_over_the_load_in_targets():
    """Knots are at 2 and at 6 in the system; beyond them the lines go on, down to 0."""
    assert LINES.knots.tolist() == [2, 6]
    table = LINES.table(np.array([0.4, 0.2]))
    assert climbs_at(table, 1) == (Climb(0, 0), Climb(45 * MS, 1))
    assert climbs_at(table, 4) == (Climb(0, 0), Climb(30 * MS, 1))
    assert climbs_at(table, 10) == (Climb(0, 1),)


def test_a_request_reads_the_row_of_the_load_that_there_is():
    assert Rule.REREAD_ROW in LINES.table(np.array([0.4, 0.2])).rules


def test_a_search_begins_at_the_formula_s_ages():
    starts = list(LINES.starts())
    assert len(starts) == STARTS
    assert starts[0] == pytest.approx([0.4, 0.4])
    assert LINES.table(starts[0]).rows[0].climbs == BASE.rows[0].climbs
    assert starts[-1] == pytest.approx([0.4, 0.16])


def test_who_would_climb_long_after_the_target_never_does():
    assert climbs_at(LINES.table(np.array([9.0, 9.0])), 1) == (Climb(0, 0),)


def test_a_table_of_curves_is_that_of_the_point_next_to_it():
    curves = LINES.finer()
    table = curves.table(np.linspace(0.6, 0.1, len(curves.knots)))
    assert curves.table(curves.next_to(table)) == table


def test_a_table_of_lines_is_one_of_curves():
    point = np.array([0.4, 0.2])
    fine = LINES.finer()
    assert fine.table(LINES.refine(point, fine)) == LINES.table(point)


@given(st.lists(st.floats(-3, 12), min_size=9, max_size=9))
def test_every_point_is_a_table(numbers):
    family = LINES.finer()
    assert len(family.spread(0.1, 0.1, 1.0)) == len(numbers)
    table = family.table(np.array(numbers))
    assert table.rows[-1].last_load is None
    assert all(climb.age_us % family.step_us == 0 for row in table.rows for climb in row.climbs)
