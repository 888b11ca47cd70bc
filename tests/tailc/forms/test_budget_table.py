"""Budget tables: their invariants and look-up."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tailc.forms.budget_table import (
    BatchEngine,
    BudgetRow,
    BudgetTable,
    allowance,
    static_budget,
)
from tailc.forms.step_times import NOTHING, StepPart, StepTimes, step_ns

STEP = StepTimes(5, StepPart((0, 10), (0, 20)), NOTHING, NOTHING, StepPart((0, 4), (0, 2)))
ENGINE = BatchEngine(100, 16, 8, STEP)
TABLE = BudgetTable((0, 100), (BudgetRow(0, 3, (512, 1_024)), BudgetRow(4, 0, (0, 64))), ENGINE)


def test_a_cell_is_that_of_the_last_row_and_column_that_begin_before():
    cells = {
        (0, 0): (512, 3), (3, 99): (512, 3), (3, 100): (1_024, 3), (4, 99): (0, 0),
        (4, 100): (64, 0), (10**9, 10**9): (64, 0),
    }  # fmt: skip
    for state, cell in cells.items():
        found = allowance(TABLE, *state)
        assert (found.budget, found.new_sequences) == cell
    with pytest.raises(ValueError, match="negative"):
        allowance(TABLE, -1, 0)


def test_a_static_budget_is_the_same_everywhere():
    table = static_budget(ENGINE, 2_048)
    assert {allowance(table, d, w).budget for d in (0, 9) for w in (0, 10**6)} == {2_048}


def test_the_time_of_an_iteration_adds_its_parts():
    assert step_ns(STEP, 4, 1, 6) == 5 + 10 + 3


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"first_waiting": ()}, "columns"),
        ({"first_waiting": (1, 100)}, "ascend from 0"),
        ({"first_waiting": (0, 0)}, "ascend from 0"),
        ({"first_waiting": (0, 2**26 + 1)}, "at most 2"),
        ({"first_waiting": (0,)}, "a budget for each column"),
        ({"rows": ()}, "rows"),
        ({"rows": TABLE.rows[1:]}, "ascend from 0"),
        ({"rows": (TABLE.rows[0], TABLE.rows[0])}, "ascend from 0"),
        ({"rows": (BudgetRow(0, 1, (0, 5)),)}, "above 0"),
        ({"rows": (BudgetRow(0, 0, (5, 5)),)}, "above 0"),
    ],
)
def test_a_table_that_contradicts_itself_is_refused(changes, words):
    with pytest.raises(ValueError, match=words):
        replace(TABLE, **changes)


@pytest.mark.parametrize(
    "make",
    [
        lambda: BudgetRow(0, -1, (1,)),
        lambda: BudgetRow(0, 1, ()),
        lambda: BudgetRow(0, 1, (2**26 + 1,)),
        lambda: replace(ENGINE, kv_blocks=0),
        lambda: replace(ENGINE, kv_blocks=2**26),
        lambda: StepPart((0,), (0,)),
        lambda: StepPart((0, 1), (0,)),
        lambda: StepPart((1, 2), (0, 1)),
        lambda: StepPart((0, 2), (1, 1)),
        lambda: StepPart((0, 2, 3), (0, 5, 4)),
        lambda: StepPart((0, 2), (0, 2**36 + 1)),
        lambda: replace(STEP, fixed_ns=0),
    ],
)
def test_parts_out_of_range_are_refused(make):
    with pytest.raises(ValueError, match=r"must|a knot"):
        make()
