"""Ideal production as on the best of the days before."""

import numpy as np
import pytest

from tailc.errors import Code, TailcError
from tailc.forecasts.best_day import BestDay, PastDays
from tests.tailc.forecasts.making import CLEAR_W, HOUR, PER_DAY, hours_of, sun_under


def days_of(*shares):
    """Days with those shares of a clear sun."""
    return sun_under(1 - np.repeat(np.array(shares, float), PER_DAY))


def noon_of(ideal, day, hour=0):
    """What noon of that day would bring, as known at an hour of it."""
    issue = np.array([day * PER_DAY + hour])
    return round(float(ideal.production_at(issue, np.array([day * PER_DAY + 12]))[0]), 6)


def test_the_best_day_is_that_with_the_most_energy_of_those_before():
    ideal = BestDay(PastDays(days_of(0.2, 0.9, 0.5, 1.0, 0.1), history_days=2))
    assert noon_of(ideal, 1) == 200
    assert noon_of(ideal, 2) == 900
    assert noon_of(ideal, 3) == 900
    assert noon_of(ideal, 4) == 1_000


def test_a_day_counts_only_once_it_has_ended():
    ideal = BestDay(PastDays(days_of(0.2, 0.9, 0.5)))
    assert noon_of(ideal, 1, hour=23) == 200
    assert noon_of(ideal, 2, hour=0) == 900


def test_each_hour_is_that_of_the_best_day_and_not_the_best_of_the_hour():
    cover = np.zeros(3 * PER_DAY)
    cover[6:13] = 1.0
    cover[PER_DAY + 13 : 2 * PER_DAY] = 0.5
    ideal = BestDay(PastDays(sun_under(cover)))
    target = 2 * PER_DAY + np.arange(PER_DAY)
    value = ideal.production_at(np.array([2 * PER_DAY]), target)
    assert value[:13].tolist() == CLEAR_W[:13].tolist()
    assert value[13:].tolist() == (CLEAR_W[13:] / 2).tolist()


def test_of_equal_days_the_latest_counts():
    value = np.concatenate([np.full(PER_DAY, 2.0), np.arange(PER_DAY) * 0.0])
    value[PER_DAY : PER_DAY + 2] = 24.0
    ideal = BestDay(PastDays(hours_of([*value, *np.zeros(PER_DAY)])))
    assert ideal.production_at(np.array([2 * PER_DAY]), np.array([2 * PER_DAY])).tolist() == [24]


def test_days_with_a_gap_do_not_count():
    series = days_of(0.2, 0.9, 0.5)
    value = np.where(np.arange(series.steps) == PER_DAY + 5, np.nan, series.value)
    assert noon_of(BestDay(PastDays(hours_of(value))), 2) == 200


def test_days_start_at_the_midnight_of_the_site():
    value = np.zeros(4 * PER_DAY)
    # One day of the site, from 7:00 UTC to 7:00 UTC, in which all of it is produced.
    value[7 + PER_DAY : 7 + 2 * PER_DAY] = 5.0
    ideal = BestDay(PastDays(hours_of(value), midnight_s=7 * HOUR))
    at = np.array([7 + 2 * PER_DAY])
    assert ideal.production_at(at, at + np.arange(PER_DAY)).tolist() == [5.0] * PER_DAY


def test_where_no_day_before_is_known_there_is_no_ideal():
    with pytest.raises(TailcError) as found:
        noon_of(BestDay(PastDays(days_of(1, 1))), 0)
    (finding,) = found.value.findings
    assert finding.code is Code.SHORT_HISTORY
    assert "no day of the 30 days before `2012-06-30T00:00Z` is complete" in finding.message


@pytest.mark.parametrize("fields", [{"midnight_s": 60}, {"history_days": 0}])
def test_days_are_whole(fields):
    with pytest.raises(ValueError, match="day"):
        PastDays(days_of(1, 1), **fields)
