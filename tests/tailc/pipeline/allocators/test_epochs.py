import numpy as np
import pytest

from tailc.pipeline.allocators.epochs import epochs_ahead
from tests.tailc.pipeline.allocators.clusters import EIGHT, sun


def test_the_first_epoch_is_what_is_left_of_the_present_one():
    found = epochs_ahead(EIGHT, 1_000, sun([3, 5, 7]), 2_800)
    assert found.begin_s.tolist() == [1_000, 1_800, 2_700, 3_600]
    assert found.length_s.tolist() == [800, 900, 900]
    assert found.supply.green_mw.tolist() == [90_000, 150_000, 210_000]


def test_epochs_are_cut_where_something_happens_and_keep_their_energy():
    found = epochs_ahead(EIGHT, 0, sun([3, 5]), 1_800, cuts_s=[0, 100, 900, 1_700, 1_800, 9_999])
    assert found.begin_s.tolist() == [0, 100, 900, 1_700, 1_800]
    assert found.supply.green_mw.tolist() == [90_000, 90_000, 150_000, 150_000]


def test_beyond_the_forecast_there_is_no_sun_and_prices_stay():
    ahead = sun([3, 5])
    ahead.brown_udollars_per_kwh[1] = 7
    found = epochs_ahead(EIGHT, 900, ahead, 900 + 4 * 900)
    assert found.supply.green_mw.tolist() == [90_000, 150_000, 0, 0]
    assert found.supply.brown_udollars_per_kwh.tolist() == [100_000, 7, 7, 7]


@pytest.mark.parametrize(("moment_s", "epoch"), [(0, 0), (899, 0), (900, 1), (2_699, 2)])
def test_a_moment_is_in_the_epoch_that_has_begun(moment_s, epoch):
    assert epochs_ahead(EIGHT, 0, sun([1, 1, 1]), 2_700).epoch_at(moment_s) == epoch


def test_there_is_an_epoch_even_where_nothing_is_ahead():
    assert np.diff(epochs_ahead(EIGHT, 900, sun([1]), 900).begin_s).tolist() == [900]
