"""Series on epochs, cut, scaled and added."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tailc.errors import Code, TailcError
from tailc.traces.series.resample import (
    cut_series,
    on_epochs,
    scale_series,
    scaled_to_peak,
    sum_series,
)
from tailc.traces.series.series import SeriesQuantity, energy_kwh
from tests.tailc.traces.series.making import HOUR, MIDNIGHT, series_of

WATTS = st.lists(st.floats(0, 1e6, allow_subnormal=False), min_size=1, max_size=40)
LENGTHS = st.sampled_from([60, 300, 420, 900, 1_800, 2_700, 3_600, 5_400, 7_200])


@given(WATTS, LENGTHS, LENGTHS)
def test_epochs_keep_the_energy(watts, step_s, epoch_s):
    series = series_of(*watts, step_s=step_s)
    if series.steps * step_s < epoch_s:
        with pytest.raises(TailcError, match="the series is shorter than one epoch of"):
            on_epochs(series, epoch_s)
        return
    epochs = on_epochs(series, epoch_s)
    # What is left after the last epoch, by the second.
    past = epochs.steps * epoch_s
    of_second = np.repeat(series.value, step_s)[:past]
    assert energy_kwh(epochs) == pytest.approx(of_second.sum() / 3.6e6, rel=1e-9, abs=1e-12)
    assert series.steps * step_s - past < epoch_s


@given(WATTS, LENGTHS)
def test_a_step_in_parts_has_its_value_in_each(watts, step_s):
    series = series_of(*watts, step_s=step_s)
    parts = on_epochs(series, step_s // 60 if step_s > 60 else 60)
    again = on_epochs(parts, step_s)
    assert again.value == pytest.approx(series.value, rel=1e-9, abs=1e-6)


def test_an_epoch_between_steps_weighs_them_by_time():
    series = series_of(0, 300, 600, step_s=1_800)
    assert on_epochs(series, 2_700).value.tolist() == pytest.approx([100, 500])


def test_an_epoch_is_known_where_every_step_that_it_touches_is():
    series = series_of(1, np.nan, 3, 4, 5, 6, step_s=1_800)
    assert on_epochs(series, 2_700).known.tolist() == [False, False, True, True]
    assert on_epochs(series, 3_600).value.tolist() == [0, 3.5, 5.5]


def test_clouds_stay_between_0_and_1():
    series = series_of(1, 1, 1, 1, 1, 1, 1, quantity=SeriesQuantity.CLOUD_COVER, step_s=420)
    assert on_epochs(series, 60).value.max() == 1


def test_a_part_is_cut_by_time():
    part = cut_series(series_of(1, 2, 3, 4), MIDNIGHT + HOUR, 2 * HOUR)
    assert (part.start_unix_s, part.value.tolist()) == (MIDNIGHT + HOUR, [2, 3])


@pytest.mark.parametrize(("start", "length"), [(-1, 2), (3, 2), (0, 5)])
def test_a_time_that_the_series_does_not_cover_is_refused(start, length):
    with pytest.raises(TailcError) as found:
        cut_series(series_of(1, 2, 3, 4), MIDNIGHT + start * HOUR, length * HOUR)
    (finding,) = found.value.findings
    assert finding.code is Code.SHORT_HISTORY
    assert "`2012-06-30T07:00Z` to `2012-06-30T11:00Z`," in finding.message


def test_a_part_of_a_step_cannot_be_cut():
    with pytest.raises(ValueError, match="whole steps"):
        cut_series(series_of(1, 2), MIDNIGHT + 60, HOUR)


def test_a_series_is_scaled_by_a_factor_or_to_a_peak():
    assert scale_series(series_of(1, 2), 0.798).value.tolist() == [0.798, 1.596]
    assert scaled_to_peak(series_of(1, np.nan, 4), 176_200).value.tolist() == [44_050, 0, 176_200]
    with pytest.raises(TailcError, match="no value above 0"):
        scaled_to_peak(series_of(0, 0), 1)


def test_sun_and_wind_add_up_where_both_are_known():
    total = sum_series([series_of(1, 2, np.nan), series_of(10, np.nan, 30)])
    assert total.value.tolist() == [11, 0, 0]
    assert total.known.tolist() == [True, False, False]


def test_series_on_other_grids_are_not_added():
    for other in (series_of(1, step_s=60), series_of(1, start_unix_s=0), series_of(1, 2)):
        with pytest.raises(ValueError, match="with the same times"):
            sum_series([series_of(1), other])
