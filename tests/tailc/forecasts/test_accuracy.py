"""Errors by reach, by hand."""

import numpy as np
import pytest

from tailc.errors import TailcError
from tailc.forecasts.forecasts import Forecasts
from tailc.forecasts.scenarios import accuracy
from tests.tailc.forecasts.making import HOUR, START, hours_of


def forecasts(issue, *rows):
    return Forecasts(np.array(issue), np.array(rows, dtype=float), START, HOUR, "made")


def test_errors_are_shares_of_what_came():
    found = accuracy(forecasts([0, 1], [12, 10], [20, 36]), hours_of([10, 20, 30]))
    assert found.counted.tolist() == [2, 2]
    # One step ahead: 12 for 10, 20 for 20; two ahead: 10 for 20, 36 for 30.
    assert found.absolute_share.tolist() == pytest.approx([2 / 30, 16 / 50])
    assert found.bias_share.tolist() == pytest.approx([2 / 30, -4 / 50])


def test_steps_that_are_not_known_or_not_yet_over_do_not_count():
    found = accuracy(forecasts([0, 1, 2], [9, 9], [9, 9], [9, 9]), hours_of([9, np.nan, 9]))
    assert found.counted.tolist() == [2, 1]
    assert found.absolute_share.tolist() == [0, 0]


def test_where_nothing_came_there_is_no_share():
    with pytest.raises(TailcError, match="production is 0 or unknown"):
        accuracy(forecasts([0], [1, 1]), hours_of([0, 0]))


@pytest.mark.parametrize(("issue", "rows"), [([0], [[-1.0]]), ([0], [[np.nan]]), ([0, 1], [[1.0]])])
def test_a_broken_forecast_cannot_exist(issue, rows):
    with pytest.raises(ValueError, match="forecast"):
        forecasts(issue, *rows)
