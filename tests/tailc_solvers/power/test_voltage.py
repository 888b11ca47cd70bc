"""Voltage of Haswell as printed, and the exponent of dynamic power."""

import numpy as np
import pytest
from tailc_solvers.power.voltage import HASWELL, VoltageLine


def test_the_published_line_is_in_mhz():
    """1.169e-4 * 800 + 0.634 and 1.169e-4 * 3400 + 0.634: less than 30 % apart."""
    low, high = HASWELL.volt([800, 3_400])
    assert low == pytest.approx(0.72752)
    assert high == pytest.approx(1.03146)
    assert 1 - low / high == pytest.approx(0.295, abs=5e-4)


def test_dynamic_power_of_haswell_grows_faster_than_linearly_and_slower_than_squared():
    """1 + 2 a f / (a f + b) by hand: 1.257 at 800 MHz, 1.771 at 3400; a fit lies between."""
    assert HASWELL.dynamic_exponent([800, 3_400]) == pytest.approx([1.257, 1.771], abs=1e-3)
    freq = np.arange(800, 3_401, 200)
    fitted = np.polyfit(np.log(freq), np.log(HASWELL.volt(freq) ** 2 * freq), 1)[0]
    assert fitted == pytest.approx(1.5, abs=0.05)


def test_voltage_that_follows_frequency_has_cubic_power():
    assert VoltageLine(1e-4, 0.0).dynamic_exponent(2_000) == pytest.approx(3.0)
    assert VoltageLine(0.0, 1.0).dynamic_exponent(2_000) == pytest.approx(1.0)


def test_voltage_that_falls_with_frequency_is_refused():
    with pytest.raises(ValueError, match="fall with frequency"):
        VoltageLine(-1e-4, 1.0)
