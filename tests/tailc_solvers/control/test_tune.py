"""Tuned loops keep their limits, beat what was tuned by hand, and come out the same every time."""

import dataclasses
import math

import numpy as np
import pytest
from tailc_solvers.control.margins import UnstableLoopError, loop_margins, margins_sampled
from tailc_solvers.control.plant import Plant, SampledPlant, lag
from tailc_solvers.control.roots import stable_for_delays
from tailc_solvers.control.rules import RULES
from tailc_solvers.control.tune import (
    LATE_SENSITIVITY,
    LoopLimits,
    NoTuningError,
    tune,
    tune_sampled,
)

from tests.tailc_solvers.control.plants import SAMPLED
from tests.tailc_solvers.control.roots_case import LOW_LOAD, PUBLISHED_GAINS

SELF_REGULATING = {name: plant for name, (plant, _) in SAMPLED.items() if not plant.is_integrating}


@pytest.mark.parametrize("structure", ["pi", "pid"])
@pytest.mark.parametrize("name", SELF_REGULATING)
def test_a_tuned_loop_keeps_its_limits_and_bears_wrong_delays(name, structure):
    plant = SELF_REGULATING[name]
    tuning = tune_sampled(plant, structure=structure, max_sensitivity=1.6)
    gains = (tuning.kp, tuning.ki, tuning.kd)
    assert tuning.margins == margins_sampled(plant, *gains)
    assert tuning.margins.max_sensitivity <= 1.6
    assert tuning.margins.overshoot <= 0.021
    assert stable_for_delays(plant, *gains)
    assert math.copysign(1, tuning.ki) == math.copysign(1, plant.gain)
    assert (tuning.kd == 0) or structure == "pid"


@pytest.mark.parametrize("structure", ["pi", "pid"])
@pytest.mark.parametrize("name", ["gain", "window", "one pole", "two poles"])
def test_no_gains_nearby_that_keep_the_limits_are_much_better(name, structure):
    """Three per cent: the limit on overshoot makes valleys that a search on a lattice ends in."""
    plant = SELF_REGULATING[name]
    tuning = tune_sampled(plant, structure=structure)
    rng = np.random.default_rng(11)
    for factors in np.exp(rng.normal(0, 0.15, (60, 3))):
        gains = np.array([tuning.kp, tuning.ki, tuning.kd]) * factors
        if not stable_for_delays(plant, *gains):
            continue
        found = loop_margins(plant, *gains)
        late = loop_margins(dataclasses.replace(plant, delay=plant.delay + 1), *gains)
        if (
            found.robustness.max_sensitivity > 1.6
            or found.performance.overshoot > 0.02
            or late.robustness.max_sensitivity > LATE_SENSITIVITY
        ):
            continue
        value = math.sqrt(math.sqrt(found.performance.itae_setpoint) * found.performance.iae_load)
        assert value >= 0.97 * tuning.criterion


@pytest.mark.parametrize("gains", PUBLISHED_GAINS)
def test_published_gains_are_no_better_than_tuned_ones_where_they_keep_the_limits(gains):
    tuned = tune_sampled(LOW_LOAD)
    published = loop_margins(LOW_LOAD, *gains)
    assert published.robustness.max_sensitivity <= 1.6
    performed = published.performance
    assert tuned.criterion < math.sqrt(math.sqrt(performed.itae_setpoint) * performed.iae_load)


def test_gains_of_the_low_load_plant_are_of_the_published_ones_order():
    """0.11, 0.49: within a factor of ten, tuned for a window of four epochs."""
    tuned = tune_sampled(LOW_LOAD)
    assert 0.011 < tuned.kp < 1.1
    assert 0.049 < tuned.ki < 4.9


def test_a_plant_of_twice_the_gain_gets_half_the_gains():
    once, twice = tune_sampled(LOW_LOAD), tune_sampled(SampledPlant((0.25,) * 4))
    assert twice.kp == pytest.approx(once.kp / 2, rel=2e-3)
    assert twice.ki == pytest.approx(once.ki / 2, rel=2e-3)


def test_a_plant_that_falls_gets_the_gains_of_the_one_that_rises_turned_round():
    up, down = tune_sampled(LOW_LOAD), tune_sampled(SampledPlant((-0.125,) * 4))
    assert (down.kp, down.ki, down.kd) == (-up.kp, -up.ki, -up.kd)


def test_more_sensitivity_allowed_never_makes_the_criterion_worse():
    plant = SELF_REGULATING["one pole"]
    values = [
        tune_sampled(plant, max_sensitivity=limit, max_overshoot=1.0).criterion
        for limit in (1.3, 1.5, 1.8, 2.2)
    ]
    assert values == sorted(values, reverse=True)


def test_a_derivative_never_makes_the_criterion_worse():
    for plant in SELF_REGULATING.values():
        without = tune_sampled(plant, structure="pi").criterion
        assert tune_sampled(plant, structure="pid").criterion <= 1.005 * without


def test_tuning_twice_gives_the_same_bytes():
    assert repr(tune_sampled(LOW_LOAD)) == repr(tune_sampled(dataclasses.replace(LOW_LOAD)))


@pytest.mark.parametrize(
    ("plant", "says"),
    [
        (SampledPlant((0.1,), (1.0, -1.2)), "unstable"),
        (SampledPlant((0.1,), (1.0, -2.0, 1.0)), "two integrators"),
        (SampledPlant((1.0, -1.0), (1.0, -0.5)), "zero at frequency 0"),
        (lag(1.0, [1.0]), "has no limit"),
        (Plant((1.0,), (1.0, -1.0), 0.1), "unstable"),
        (Plant((1.0,), (1.0, 0.0, 0.0), 0.1), "two integrators"),
        (Plant((1.0, 0.0), (1.0, 1.0, 1.0)), "zero at frequency 0"),
    ],
)
def test_a_plant_that_cannot_be_tuned_is_refused(plant, says):
    with pytest.raises(NoTuningError, match=says):
        tune(plant, "pi", LoopLimits())


def test_limits_that_nothing_keeps_are_refused():
    with pytest.raises(NoTuningError, match="limits"):
        tune(LOW_LOAD, "pi", LoopLimits(max_sensitivity=1.2, iae_load=0.5))
    with pytest.raises(ValueError, match="above 1"):
        LoopLimits(max_sensitivity=1.0)


def value(margins):
    """The balanced criterion."""
    performed = margins.performance
    return math.sqrt(math.sqrt(performed.itae_setpoint) * performed.iae_load)


@pytest.mark.parametrize("structure", ["pi", "pid"])
@pytest.mark.parametrize("constant", [1, 10, 100, 150, 300, 1e3, 1e4, 1e5])
def test_no_rule_within_the_limit_beats_a_tuned_loop_however_long_the_lag(constant, structure):
    """Above ti the phase of a long lag comes near -180 degrees, and rises before it falls."""
    plant = lag(1.0, [constant], 1.0)
    tuned, margins = tune(plant, structure, LoopLimits())
    assert margins.robustness.max_sensitivity <= 1.6
    for rule in RULES.values():
        try:
            ruled = loop_margins(plant, *rule(plant, structure))
        except UnstableLoopError:
            continue
        if ruled.robustness.max_sensitivity <= 1.6:
            assert tuned.criterion <= value(ruled)


def test_a_long_lag_is_tuned_like_an_integrator():
    """1 / (1 + T s) is 1 / (T s) at the frequencies that count."""
    slow, _ = tune(lag(1.0, [1e5], 1.0), "pi", LoopLimits())
    integrator, _ = tune(Plant((1e-5,), (1.0, 0.0), 1.0), "pi", LoopLimits())
    assert slow.kp == pytest.approx(integrator.kp, rel=0.02)
    assert slow.ki == pytest.approx(integrator.ki, rel=0.05)


@pytest.mark.parametrize("structure", ["pi", "pid"])
@pytest.mark.parametrize(("gain", "time"), [(2.0**24, 1.0), (1.0, 2.0**30), (2.0**-30, 2.0**-24)])
def test_gains_scale_with_the_plants_units_but_for_their_five_digits(gain, time, structure):
    """So kp gain, ki gain time and kd gain / time are those of the plant in other units."""
    one, margins = tune(lag(1.0, [1.0, 0.5], 1.0), structure, LoopLimits())
    other, scaled = tune(lag(gain, [time, time / 2], time), structure, LoopLimits())
    assert other.kp * gain == pytest.approx(one.kp, rel=1e-4)
    assert other.ki * gain * time == pytest.approx(one.ki, rel=1e-4)
    assert other.kd * gain / time == pytest.approx(one.kd, rel=1e-4)
    assert scaled.robustness.max_sensitivity <= 1.6
    assert scaled.performance.settling / time == pytest.approx(margins.performance.settling, 1e-2)


@pytest.mark.parametrize("gain", [2.0**30, 2.0**-30])
def test_margins_scale_exactly_by_powers_of_two(gain):
    one = loop_margins(lag(1.0, [1.0], 1.0), 0.5, 0.5, 0.0)
    other = loop_margins(lag(gain, [8.0], 8.0), 0.5 / gain, 0.5 / gain / 8, 0.0)
    assert other.robustness.max_sensitivity == one.robustness.max_sensitivity
    assert other.performance.itae_setpoint == 64 * one.performance.itae_setpoint
    assert other.performance.iae_load == 8 * gain * one.performance.iae_load


def test_gains_to_start_from_are_kept_where_nothing_better_is_found():
    plant = lag(1.0, [1.0], 1.0)
    best, _ = tune(plant, "pi", LoopLimits())
    start = (best.kp, best.ki, 0.0)
    again, _ = tune(plant, "pi", LoopLimits(), start=start)
    assert again.criterion <= best.criterion
