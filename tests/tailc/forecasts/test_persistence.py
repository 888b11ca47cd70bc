"""It will be as it was."""

import numpy as np
import pytest

from tailc.forecasts.persistence import persistent_forecasts
from tests.tailc.forecasts.making import HOUR, hours_of


def persistent(values, issue, steps, period=1):
    return persistent_forecasts(hours_of(values), np.array([issue]), steps, period * HOUR).value[0]


def test_a_period_of_a_step_repeats_the_last_one():
    assert persistent([1, 2, 3, 9, 9], 3, 2).tolist() == [3, 3]


def test_a_longer_period_repeats_what_came_in_it():
    assert persistent([1, 2, 3, 4, 9, 9, 9], 4, 3, period=2).tolist() == [3, 4, 3]


def test_what_is_not_known_is_as_a_period_before():
    assert persistent([1, 2, np.nan, 4, 9, 9], 4, 2, period=2).tolist() == [1, 4]


def test_what_never_was_known_brings_nothing():
    assert persistent([np.nan, 2, np.nan, 4, 9, 9], 4, 2, period=2).tolist() == [0, 4]
    assert persistent([1, 2, 3], 1, 2, period=3).tolist() == [0, 0]


@pytest.mark.parametrize("later", [0, 1, 5])
def test_no_future_production_changes_it(later):
    values = np.arange(20.0)
    changed = np.where(np.arange(20) >= 10 + later, 99.0, values)
    found = persistent(values, 10, 8, period=3)
    assert persistent(changed, 10, 8, period=3).tolist() == found.tolist()


def test_a_period_is_of_whole_steps():
    with pytest.raises(ValueError, match="whole number of steps"):
        persistent_forecasts(hours_of([1, 2]), np.array([1]), 1, 90)
