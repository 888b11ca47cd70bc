import numpy as np
import pytest

from tailc.forms.plan.ledger import MJ_PER_KWH
from tailc.problems.bridging import Bridge, battery_energy_mj, bridge_of

KW = 1_000_000
# A rack of 40 servers of 140 W; 42 of them draw 235.2 kW.
RACK_MW = 40 * 140_000


def test_a_battery_bridges_the_worst_shortfall():
    forecast, actual = np.array([5, 7, 3, 9]) * KW, np.array([5, 3, 4, 8]) * KW
    assert bridge_of(forecast, actual, 10) == Bridge(4, 2, 2_500_000, 4 * KW, 40 * KW)


def test_a_month_of_over_predictions_takes_the_published_battery():
    """60 of 2,976 quarters of an hour, 2 %: 11.7 kW on average, 29.9 kW at most: 0.08 kWh."""
    over_w = np.full(60, (60 * 11_700 - 29_900) // 59)
    over_w[7] = 29_900
    actual = np.full(2_976, 300 * KW)
    forecast = actual - 5
    forecast[900:960] = actual[900:960] + over_w * 1_000
    found = bridge_of(forecast, actual, 10)
    assert (found.epochs, found.over_epochs) == (31 * 96, 60)
    assert round(100 * found.over_epochs / found.epochs) == 2
    assert found.mean_over_mw / KW == pytest.approx(11.7, abs=0.001)
    assert found.energy_mj / MJ_PER_KWH == pytest.approx(0.083, abs=0.0005)
    # "On average we need to switch 2 racks (maximum 5 racks)."
    assert found.mean_over_mw / RACK_MW == pytest.approx(2.1, abs=0.05)
    assert found.most_over_mw / RACK_MW == pytest.approx(5.3, abs=0.05)


def test_minutes_at_peak_load_take_what_was_published():
    """8 to 10 minutes: 31.3 (31.36, cut off) to 39.2 kWh."""
    told = [battery_energy_mj(42 * RACK_MW, minutes * 60) / MJ_PER_KWH for minutes in (8, 10)]
    assert told == [pytest.approx(31.36), pytest.approx(39.2)]


def test_a_forecast_that_is_never_too_high_takes_no_battery():
    forecast, actual = np.array([1, 2]), np.array([1, 3])
    assert bridge_of(forecast, actual, 10) == Bridge(2, 0, 0, 0, 0)
    nothing = np.array([], np.int64)
    assert bridge_of(nothing, nothing, 10) == Bridge(0, 0, 0, 0, 0)


@pytest.mark.parametrize(("epochs", "bridge_s"), [(2, 10), (3, -1)])
def test_what_makes_no_sense_is_refused(epochs, bridge_s):
    with pytest.raises(ValueError, match="one value for each epoch"):
        bridge_of(np.zeros(3, np.int64), np.zeros(epochs, np.int64), bridge_s)
