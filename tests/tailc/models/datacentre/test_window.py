from dataclasses import replace

import numpy as np
import pytest

from tailc.forecasts.days import Energy
from tailc.forecasts.forecasts import Forecasts
from tailc.models.datacentre.window import windows
from tailc.models.malleable_jobs.jobs import malleable_jobs_of
from tailc.models.rigid_jobs.jobs import rigid_jobs_of
from tailc.traces.jobs.log import Applications
from tailc.traces.series.series import SeriesQuantity
from tests.tailc.models.datacentre.window_case import EPOCH_S, energy, log, series


def test_windows_begin_anew_with_their_jobs_and_their_energy():
    first, second = windows(log([0, 1_000, 1_900]), energy([1.0, 2.0, 3.0, 4.0, 5.0]), 2)
    assert [one.start_unix_s for one in (first, second)] == [9_000, 10_800]
    assert first.supply.green_mw.tolist() == [1_000, 2_000]
    assert second.supply.green_mw.tolist() == [3_000, 4_000]
    assert second.supply.brown_udollars_per_kwh.tolist() == [105_500] * 2
    assert second.supply.brown_mg_per_kwh.tolist() == [200_000] * 2
    (job,) = rigid_jobs_of(second)
    assert (job.number, job.submit_s, job.run_s, job.width, job.green_ppm) == (
        2,
        100,
        600,
        2,
        500_000,
    )


def test_windows_without_jobs_or_with_unknown_energy_are_left_out():
    gap = energy([1.0] * 8)
    gap.power.known[5] = False
    gap.power.value[5] = 0.0
    found = windows(log([0, 4_000, 6_000]), gap, 2)
    # The second has no jobs, and the third an epoch whose power is not known.
    assert [one.start_unix_s for one in found] == [9_000, 9_000 + 3 * 1_800]


def test_without_forecasts_what_comes_is_known_up_to_the_end_of_the_window():
    first, _ = windows(log([0, 1_900]), energy([1.0, 2.0, 3.0, 4.0]), 2)
    ahead = first.expected.ahead(1, 3)
    assert ahead.green_mw.tolist() == [2_000, 0, 0]
    assert ahead.brown_udollars_per_kwh.tolist() == [105_500, 0, 0]


def test_the_newest_forecast_counts_for_as_long_as_it_reaches():
    value = np.array([[7.0, 8.0, 9.0], [5.0, 6.0, 4.0]])
    forecasts = Forecasts(np.array([0, 2]), value, 9_000, EPOCH_S, "made up")
    (only,) = windows(log([0]), energy([1.0] * 6, forecasts), 6)
    assert only.expected.ahead(0, 4).green_mw.tolist() == [7_000, 8_000, 9_000, 0]
    assert only.expected.ahead(1, 2).green_mw.tolist() == [8_000, 9_000]
    assert only.expected.ahead(3, 3).green_mw.tolist() == [6_000, 4_000, 0]


def test_before_the_first_forecast_nothing_is_expected():
    late = Forecasts(np.array([1]), np.array([[5.0]]), 9_000, EPOCH_S, "made up")
    (only,) = windows(log([0]), energy([1.0] * 2, late), 2)
    assert only.expected.ahead(0, 2).green_mw.tolist() == [0, 0]


def test_series_on_other_epochs_are_refused():
    with pytest.raises(ValueError, match="same epochs"):
        Energy(
            series(SeriesQuantity.POWER, [1.0]),
            series(SeriesQuantity.PRICE, [1.0, 1.0]),
            series(SeriesQuantity.CARBON, [1.0]),
        )


def test_windows_begin_where_and_as_far_apart_as_they_are_asked_to():
    every = log([0, 900, 1_800, 2_700, 3_600, 4_500, 5_400])
    found = windows(every, energy([float(one) for one in range(8)]), 2, first=1, stride=3)
    assert [one.start_unix_s for one in found] == [9_000 + 900, 9_000 + 4 * 900]
    assert [one.supply.green_mw.tolist() for one in found] == [[1_000, 2_000], [4_000, 5_000]]
    # Jobs between windows are of none, and a window that would not end begins not.
    assert [one.jobs.number.tolist() for one in found] == [[1, 2], [4, 5]]


class Halves:
    """On as many servers as it asked for a job runs twice as fast as on half as many."""

    def speedup_ppm(self, application, requested, servers):
        assert application == "FT"
        fast = {count: count * 1_000_000 for count in (1, 2, 4) if count <= servers}
        return {2 * requested: fast}


def test_malleable_jobs_ran_as_they_did_on_what_they_asked_for():
    named = replace(log([0]), applications=Applications(("FT",), np.zeros(1, np.int64)))
    (only,) = windows(named, energy([1.0, 2.0]), 2)
    (job,) = malleable_jobs_of(only, Halves(), 1_100_000, 4)
    # 600 s on two servers.
    assert (job.work_s, job.requested, job.longest_s) == (1_200, 2, 660)
    (narrow,) = malleable_jobs_of(only, Halves(), 1_100_000, 2)
    assert narrow.speedup_ppm == {4: {1: 1_000_000, 2: 2_000_000}}


def test_jobs_of_no_application_are_not_malleable():
    (only,) = windows(log([0]), energy([1.0, 2.0]), 2)
    with pytest.raises(ValueError, match="an application each"):
        malleable_jobs_of(only, Halves(), 1_100_000, 4)
