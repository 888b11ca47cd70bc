"""Tail tables: against exact fractions, closed forms and simulation."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tailc_solvers.tails.tables import tail_tables

from tests.reference import tails_plain as plain

BETA = Fraction(95, 100)


def on_whole_numbers(work, **more):
    """A table whose buckets are one unit of work wide, so that nothing is rounded."""
    return tail_tables(work, buckets=max(2, max(work) - min(work) + 1), **more)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    work=st.lists(st.integers(0, 12), min_size=1, max_size=12).filter(max),
    beta=st.sampled_from([Fraction(1, 2), Fraction(9, 10), BETA, Fraction(99, 100)]),
)
def test_a_table_of_whole_numbers_is_that_of_exact_fractions(work, beta):
    law = plain.law(work)
    found = on_whole_numbers(work, quantile=float(beta), rows=4, positions=4, most_positions=4)
    begins = plain.begins_of(law, 4)
    assert found.elapsed.tolist() == begins
    assert found.left.round(9).tolist() == plain.table(law, begins, 4, beta)


def test_work_that_is_always_the_same_adds_up():
    found = tail_tables([10.0] * 5, quantile=0.95, positions=4, most_positions=8)
    assert found.elapsed.tolist() == [0.0]
    assert found.left.tolist() == [[10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0]]
    assert found.unknown_from == 10.0


def test_rows_may_begin_at_given_progress():
    found = tail_tables([10.0] * 5, quantile=0.95, begins=[0, 5, 9], most_positions=16)
    assert found.left[:, :2].tolist() == [[10.0, 20.0], [5.0, 15.0], [1.0, 11.0]]


def test_weights_count_as_repetitions():
    weighted = tail_tables([1.0, 5.0, 2.5], [90, 3, 7], quantile=0.95)
    repeated = tail_tables([1.0] * 90 + [5.0] * 3 + [2.5] * 7, quantile=0.95)
    assert np.array_equal(weighted.left, repeated.left)
    assert np.array_equal(weighted.elapsed, repeated.elapsed)


@pytest.mark.parametrize(
    ("work", "weight", "more", "says"),
    [
        ([], None, {}, "vector with entries"),
        ([1.0, -1.0], None, {}, "not negative"),
        ([1.0, np.nan], None, {}, "finite"),
        ([1.0, 2.0], [1], {}, "as long as"),
        ([1.0, 2.0], [1, 0], {}, "positive"),
        ([1.0, 2.0], [1, 1.5], {}, "whole"),
        ([1.0, 2.0], None, {"quantile": 1.0}, "between 0 and 1"),
        ([1.0, 2.0], None, {"buckets": 1}, "at least 2"),
        ([1.0, 2.0], None, {"rows": 0}, "needs a row"),
        ([1.0, 2.0], None, {"positions": 9, "most_positions": 8}, "no less"),
        ([1.0, 2.0], None, {"begins": [1.0]}, "ascend from 0"),
        ([1.0, 2.0], None, {"begins": [0.0, 2.0]}, "long enough"),
    ],
)
def test_bad_arguments_are_told_apart(work, weight, more, says):
    with pytest.raises(ValueError, match=says):
        tail_tables(work, weight, **{"quantile": 0.95, **more})
