"""What a series can hold."""

import numpy as np
import pytest

from tailc.traces.series.series import SeriesQuantity, TimeSeries, energy_kwh, of_values

NOON = 1_341_144_000


def power(*watts, step_s=900):
    return of_values(SeriesQuantity.POWER, NOON, step_s, np.array(watts, dtype=float), "made")


def test_a_value_that_is_not_known_is_0_and_marked():
    series = power(10, np.nan, 30)
    assert series.value.tolist() == [10, 0, 30]
    assert series.known.tolist() == [True, False, True]
    assert not series.is_whole


def test_steps_follow_one_another_from_the_start_to_the_end():
    series = power(10, 20, 30)
    assert series.step_unix_s.tolist() == [NOON, NOON + 900, NOON + 1_800]
    assert series.end_unix_s == NOON + 2_700


def test_a_part_keeps_its_time():
    part = power(10, 20, 30).part(slice(1, None))
    assert (part.start_unix_s, part.value.tolist()) == (NOON + 900, [20, 30])


def test_four_quarters_of_an_hour_of_a_kilowatt_are_a_kilowatt_hour():
    assert energy_kwh(power(1_000, 1_000, 1_000, 1_000)) == 1.0


@pytest.mark.parametrize(
    ("quantity", "value"),
    [
        (SeriesQuantity.POWER, -1.0),
        (SeriesQuantity.CLOUD_COVER, 1.5),
        (SeriesQuantity.CARBON, -0.1),
    ],
)
def test_a_value_that_cannot_be_is_no_series(quantity, value):
    with pytest.raises(ValueError, match=quantity.noun):
        of_values(quantity, 0, 900, np.array([value]), "made")


def test_a_price_may_be_negative():
    assert of_values(SeriesQuantity.PRICE, 0, 900, np.array([-0.02]), "made").value.tolist() == [
        -0.02
    ]


@pytest.mark.parametrize(
    ("value", "known"),
    [
        (np.array([np.nan]), np.array([True])),
        (np.array([1.0]), np.array([False])),
        (np.array([]), np.array([], bool)),
        (np.array([1.0, 2.0]), np.array([True])),
    ],
)
def test_a_broken_series_cannot_exist(value, known):
    with pytest.raises(ValueError, match="value"):
        TimeSeries(SeriesQuantity.POWER, 0, 900, value, known, "made")
