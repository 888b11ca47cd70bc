"""Pairs of days by rank of what they produce."""

import numpy as np
import pytest

from tailc.errors import TailcError
from tailc.traces.series.days import day_pairs
from tailc.traces.series.series import SECONDS_PER_DAY
from tests.tailc.traces.series.making import HOUR, MIDNIGHT, series_of

PER_DAY = 24


def days_of(*totals):
    """A series of hours whose days are even, and start at 7:00 UTC."""
    return series_of(*np.repeat(np.array(totals, float), PER_DAY))


def first_day(series):
    return (series.start_unix_s - MIDNIGHT) // SECONDS_PER_DAY


def test_the_pairs_are_those_at_their_ranks():
    pairs = day_pairs(days_of(5, 7, 4, 3, 5), 7 * HOUR)
    # Sums of pairs by first day: 12, 11, 7, 8; at 95 % the 4th, at 50 % the 2nd, at 5 % the 1st.
    assert (first_day(pairs.high), first_day(pairs.medium), first_day(pairs.low)) == (0, 3, 2)
    assert pairs.high.steps == 2 * PER_DAY


def test_of_equal_pairs_the_earlier_ranks_lower():
    pairs = day_pairs(days_of(1, 1, 1, 1), 7 * HOUR)
    assert (first_day(pairs.low), first_day(pairs.medium), first_day(pairs.high)) == (0, 1, 2)


def test_days_that_are_not_known_throughout_are_in_no_pair():
    series = days_of(9, 9, 1, 1, 2, 3)
    value = np.where(np.arange(series.steps) == 30, np.nan, series.value)
    pairs = day_pairs(series_of(*value), 7 * HOUR)
    assert (first_day(pairs.low), first_day(pairs.medium), first_day(pairs.high)) == (2, 3, 4)


def test_a_day_starts_at_the_midnight_asked_for():
    pairs = day_pairs(days_of(1, 2, 3, 4, 5), 0)
    assert pairs.low.start_unix_s == MIDNIGHT + 17 * HOUR


def test_single_days_can_be_picked_too():
    pairs = day_pairs(days_of(5, 7, 4), 7 * HOUR, days=1)
    assert (first_day(pairs.high), first_day(pairs.medium), first_day(pairs.low)) == (1, 0, 2)


def test_too_few_days_are_refused():
    with pytest.raises(TailcError, match="has 2 periods of 2 days"):
        day_pairs(days_of(1, 2, 3), 7 * HOUR)


def test_days_of_broken_steps_are_none():
    with pytest.raises(ValueError, match="whole number of steps"):
        day_pairs(days_of(1, 2, 3, 4), 7 * HOUR + 60)
