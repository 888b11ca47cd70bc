"""Tables of a few factors each: of the bound, of positions, of rows."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tailc.forms.tail_table import LARGEST_BOUND_US, LARGEST_CYCLES, TailRow
from tailc.percentiles import PPM
from tailc.tuning.core_queues_space import MOST_TIMES, CoreQueuesSpace, with_bound_scaled
from tests.tailc.models.core_queues.servers import tail_table

ENTRIES = (100, 200, 300, 400)
UNKNOWN = (5_000, *[LARGEST_CYCLES] * 4)
FORMULA = tail_table(
    (0, *ENTRIES), (1_000, *ENTRIES), UNKNOWN, memory_ns=((0, 10, 20, 30, 40), (500, 0, 0, 5, 6))
)
FAMILY = CoreQueuesSpace(FORMULA)


def test_searches_begin_at_the_table_and_where_all_but_what_was_waited_is_twice_as_much():
    first, second = FAMILY.starts()
    assert FAMILY.table(first) == FORMULA
    table = FAMILY.table(second)
    assert table.bound_us == 2_000
    assert [row.left for row in table.memory_ns] == [(20, 40, 60, 80), (0, 0, 10, 12)]
    # bound, positions 0, 1, 3 and 9, and the last row
    assert len(FAMILY.spread(0.1, 0.2, 1.0)) == len(first) == 6


def test_a_bound_goes_no_further_than_it_may():
    far = FAMILY.table(np.array([9.0, 0.0, 0.0, 0.0, 0.0, 0.0]))
    assert far.bound_us == MOST_TIMES * FORMULA.bound_us
    assert with_bound_scaled(FORMULA, PPM // 4).bound_us == 250
    assert with_bound_scaled(FORMULA, 1).bound_us == 1
    assert with_bound_scaled(FORMULA, LARGEST_BOUND_US * PPM).bound_us == LARGEST_BOUND_US


def test_positions_between_two_have_what_lies_between_and_rows_are_scaled_alike():
    twice_behind = np.array([0.0, 0.0, math.log(2), math.log(2), math.log(2), 0.0])
    table = FAMILY.table(twice_behind)
    scaled = (100, 400, 600, 800)
    assert table.cycles == (TailRow(0, scaled), TailRow(1_000, scaled), FORMULA.cycles[-1])
    assert [row.left for row in table.memory_ns] == [(10, 40, 60, 80), (0, 0, 10, 12)]


def test_the_first_row_has_nothing_added_and_the_last_all():
    table = FAMILY.table(np.array([0.0, 0.0, 0.0, 0.0, 0.0, math.log(3)]))
    assert [row.left for row in table.memory_ns] == [(10, 20, 30, 40), (0, 0, 15, 18)]
    # half-way to the row that asks for the highest frequency, which stays
    half_way = tuple(round(each * math.sqrt(3)) for each in ENTRIES)
    assert [row.left for row in table.cycles] == [ENTRIES, half_way, UNKNOWN[1:]]


def test_later_positions_never_have_less():
    """A search may ask for it; a table cannot have it."""
    table = FAMILY.table(np.array([0.0, math.log(3), 0.0, 0.0, 0.0, 0.0]))
    assert table.cycles[0].left == (300, 300, 300, 400)


@pytest.mark.parametrize("seed", range(3))
def test_a_finer_family_has_the_same_tables(seed):
    """Between the knots of the coarse one there are more of the fine one."""
    point = np.random.default_rng(seed).normal(0, 0.2, 6)
    fine = FAMILY.finer()
    refined = FAMILY.refine(point, fine)
    assert len(refined) == len(fine.spread(0.1, 0.2, 0.25)) == 9
    assert fine.table(refined) == FAMILY.table(point)
