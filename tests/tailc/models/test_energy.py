"""Energy and outputs over the repeats of an experiment, by hand."""

import math

import numpy as np
import pytest

from tailc.models.energy import (
    ControlUse,
    EnergyTimes,
    TypeUse,
    control_use,
    energy_use,
)

NO_OUTPUTS = np.zeros(0, np.int64)
TYPES = ["type1", "type2"]


def test_the_interval_is_student_s_over_the_repeats():
    repeats = [EnergyTimes(n * 1e6, 0.0, (0.5, 0.25), NO_OUTPUTS) for n in (10, 12, 14, 16)]
    found = energy_use(TYPES, repeats)
    # mean 13, deviation sqrt(20 / 3), t of 3 degrees of freedom 3.1824
    half = 3.1824 * math.sqrt(20 / 3) / 2
    assert found.request_us == 13_000
    assert found.interval_us == pytest.approx((1000 * (13 - half), 1000 * (13 + half)), rel=2e-3)
    assert found.types == (TypeUse("type1", 500_000), TypeUse("type2", 250_000))


def test_one_repeat_has_no_interval():
    found = energy_use(TYPES, [EnergyTimes(1e6, 0.0, (None, 0.25), NO_OUTPUTS)])
    assert found.interval_us is None
    assert found.types[0].utilization_ppm == 0


def test_outputs_are_told_by_mean_and_nine_in_ten():
    outputs = np.arange(1, 101, dtype=np.int64)
    halves = [EnergyTimes(1.0, 0.0, (), part) for part in (outputs[:50], outputs[50:])]
    assert control_use(halves) == ControlUse(50, 5, 95)
    assert control_use([EnergyTimes(1.0, 0.0, (), NO_OUTPUTS)]) is None
