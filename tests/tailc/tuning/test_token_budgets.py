"""Requests that the search of budgets replays, and those that it does not see."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tailc.forms.budget_table import BatchEngine
from tailc.forms.step_times import NOTHING, StepTimes
from tailc.traces.profile import Measure
from tailc.traces.reading import Rows, TimeUnit, TokenColumns, TokensReading, ValueMeaning
from tailc.traces.tokens import TokenTrace
from tailc.tuning.token_budgets import (
    MOST_OUTPUT_TOKENS,
    BudgetFamily,
    BudgetGrid,
    search_part,
    unseen_part,
)


def trace(output: list[int]) -> TokenTrace:
    """Requests of a prompt token each, at a request a second."""
    numbers = np.arange(len(output))
    columns = TokenColumns("time", "prompt", "output", None)
    reading = TokensReading(ValueMeaning(Measure.TOKENS, "", TimeUnit.S), Rows((), None), columns)
    ones = np.ones_like(numbers)
    return TokenTrace(
        numbers * 1_000_000, ones, np.array(output), 0 * ones, numbers + 1, "", reading
    )


@pytest.mark.parametrize(
    ("output", "searched"),
    [
        ([10] * 40, (1, 28)),
        ([MOST_OUTPUT_TOKENS // 20] * 40, (9, 28)),
        ([10] * 27 + [MOST_OUTPUT_TOKENS + 1] + [10] * 12, (19, 28)),
    ],
)
def test_the_search_replays_the_latest_requests_before_those_that_it_does_not_see(output, searched):
    """At least ten, even if their outputs are very long."""
    whole = trace(output)
    first, last = searched
    assert search_part(whole).row.tolist() == list(range(first, last + 1))
    assert unseen_part(whole).row.tolist() == list(range(29, 41))


def family() -> BudgetFamily:
    """Tables of two rows and columns around a base of 100 to 400 tokens."""
    engine = BatchEngine(1_000, 16, 15, StepTimes(1, NOTHING, NOTHING, NOTHING, NOTHING))
    grid = BudgetGrid(engine, (0, 3), (0, 1_000), 1_000)
    return BudgetFamily(grid, grid.table(np.array([[100, 200], [300, 400]]), 15))


@pytest.mark.parametrize(
    ("point", "budgets", "starts"),
    [
        ([], [(100, 200), (300, 400)], 15),
        ([1.0], [(200, 400), (600, 800)], 15),
        ([0, 1.0], [(100, 200), (424, 566)], 15),
        ([0, 0, 1.0], [(100, 400), (300, 800)], 15),
        ([0, 0, 0, 2.0], [(100, 200), (300, 800)], 15),
        ([0, 0, 0, 0, -2.0], [(100, 200), (300, 400)], 4),
        ([0, 0, 0, 0, 0, 0, 1.0, 0, 0, 2.0], [(200, 1_000), (300, 1_000)], 15),
        ([-9.0], [(16, 16), (16, 16)], 15),
    ],
)
def test_a_point_multiplies_the_budgets_of_the_base(point, budgets, starts):
    """By powers of 2; row 3 is half of the way to 15 sequences on the axis, and tables end at 16
    and at the largest budget."""
    around = family()
    place = np.zeros(max(len(point), 6))
    place[: len(point)] = point
    place[:6] += around.origin
    table = around.table(place)
    assert [row.budgets for row in table.rows] == budgets
    assert {row.new_sequences for row in table.rows} == {starts}


@pytest.mark.parametrize(
    ("gap_tokens", "budgets"),
    [
        (501.0, [(100, 200), (300, 400)]),
        (500.0, [(100, 1_000), (300, 400)]),
        (66.0, [(100, 1_000), (300, 1_000)]),
    ],
)
def test_the_largest_budget_applies_where_many_tokens_wait_for_each_sequence(gap_tokens, budgets):
    """The first row is for up to 2 decoding sequences, the second for up to 15."""
    around = replace(family(), gap_tokens=gap_tokens)
    assert [row.budgets for row in around.table(around.origin).rows] == budgets


def test_budgets_are_multiples_of_the_step():
    around = family()
    stepped = replace(around, grid=replace(around.grid, step=64, largest_budget=960))
    table = stepped.table(stepped.origin - np.array([9.0, 0, 0, 0, 0, 0]))
    assert [row.budgets for row in table.rows] == [(64, 64), (64, 64)]
    table = stepped.table(stepped.origin)
    assert [row.budgets for row in table.rows] == [(64, 192), (256, 384)]


def test_monotone_budgets_never_rise_with_sequences_nor_fall_with_waiting_tokens():
    """Raised to those with fewer waiting tokens, then lowered to those with fewer sequences."""
    grid = replace(family().grid, is_monotone=True)
    table = grid.table(np.array([[200, 100], [150, 400]]), 15)
    assert [row.budgets for row in table.rows] == [(200, 200), (150, 200)]
