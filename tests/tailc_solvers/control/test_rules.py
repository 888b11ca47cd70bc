"""The rules against figures worked out by hand, and ours against the rules."""

import math

import pytest
from tailc_solvers.control.margins import loop_margins
from tailc_solvers.control.plant import Plant, SampledPlant, lag
from tailc_solvers.control.rules import amigo, first_order, simc, ziegler_nichols
from tailc_solvers.control.tune import LoopLimits, tune

from bench.pid_tuners import batch, duel


def test_ziegler_and_nichols_know_three_lags():
    """1 / (s + 1)^3 oscillates at sqrt(3) under a gain of 8."""
    period = 2 * math.pi / math.sqrt(3)
    k, ki, kd = ziegler_nichols(lag(1.0, [1.0] * 3), "pid")
    assert (k, k / ki, kd / k) == pytest.approx((0.6 * 8, period / 2, period / 8), rel=1e-9)
    k, ki, kd = ziegler_nichols(lag(-2.0, [1.0] * 3), "pi")
    assert (k, k / ki, kd) == pytest.approx((-0.45 * 4, period / 1.2, 0.0), rel=1e-9)


def test_simc_of_three_lags_is_by_the_half_rule():
    """PI: T1 = 1.5, L = 1.5. PID: T1 = 1, T2 = 1.5, L = 0.5, in series."""
    assert simc(lag(1.0, [1.0] * 3), "pi") == pytest.approx((0.5, 0.5 / 1.5, 0.0), rel=1e-4)
    k, ki, kd = simc(lag(1.0, [1.0] * 3), "pid")
    assert (k, ki, kd) == pytest.approx((2.5, 1.0, 1.5), rel=1e-3)


def test_simc_of_dead_time_alone_only_integrates():
    assert simc(lag(2.0, [], 1.5), "pi") == pytest.approx((0.0, 1 / (2 * 2 * 1.5), 0.0))


def test_simc_of_an_integrator_has_eight_dead_times_of_integral_time():
    kp, ki, _ = simc(Plant((3.0,), (1.0, 0.0), 0.5), "pi")
    assert kp == pytest.approx(1 / (3 * 1.0))
    assert kp / ki == pytest.approx(8 * 0.5)


def test_amigo_of_a_first_order_plant_is_the_papers_formula():
    """With T = 1 and L = 1: K = 0.15 + 0.1, Ti = 0.35 + 13 / 20; PID 0.65, 1.2 / 1.1, 0.5 / 1.3."""
    plant = lag(1.0, [1.0], 1.0)
    kp, ki, _ = amigo(plant, "pi")
    assert (kp, kp / ki) == pytest.approx((0.25, 1.0), rel=0.02)
    kp, ki, kd = amigo(plant, "pid")
    assert (kp, kp / ki, kd / kp) == pytest.approx((0.65, 1.2 / 1.1, 0.5 / 1.3), rel=0.02)


def test_a_first_order_plant_is_its_own_model():
    model = first_order(lag(2.0, [3.0], 0.7))
    assert model.gain == 2.0
    assert (model.time_constant, model.dead_time) == pytest.approx((3.0, 0.7), abs=0.02)


def test_a_sampled_plant_is_modelled_with_half_a_sample_more():
    model = first_order(SampledPlant((0.1,), (1.0, -0.9), 3))
    assert model.gain == pytest.approx(1.0)
    assert model.dead_time == pytest.approx(2.5, abs=0.1)


QUICK = ("P1 e^-s/(1+1s)", "P2 e^-s/(1+5s)^2", "P4 1/(s+1)^5", "P8 (1-0.5s)/(s+1)^3")


@pytest.mark.parametrize("structure", ["pi", "pid"])
@pytest.mark.parametrize("rule", [simc, amigo])
@pytest.mark.parametrize("name", QUICK)
def test_ours_is_no_worse_on_either_measure_at_the_rules_robustness(name, rule, structure):
    plant = batch()[name]
    found = duel(plant, structure, rule(plant, structure))
    assert found.worst <= 1.0
    ours, rules = found.ours.robustness, found.rule.robustness
    assert ours.max_sensitivity <= rules.max_sensitivity * (1 + 1e-12)


@pytest.mark.parametrize("structure", ["pi", "pid"])
def test_a_start_that_keeps_the_limits_is_never_made_worse(structure):
    plant = lag(1.0, [1.0] * 4)
    gains, margins = tune(plant, structure, LoopLimits())
    start = (gains.kp, gains.ki, gains.kd)
    again, _ = tune(
        plant,
        structure,
        LoopLimits(
            margins.robustness.max_sensitivity,
            itae_setpoint=margins.performance.itae_setpoint,
            iae_load=margins.performance.iae_load,
        ),
        start=start,
    )
    assert again.criterion <= gains.criterion * (1 + 1e-12)
    assert loop_margins(plant, again.kp, again.ki, again.kd).performance is not None


def test_a_start_that_only_integrates_is_kept_where_nothing_else_keeps_the_limits():
    """SIMC for dead time alone has no proportional part, which the search leaves out."""
    plant = lag(1.0, [], 1.0)
    start = simc(plant, "pi")
    found = loop_margins(plant, *start)
    limits = LoopLimits(found.robustness.max_sensitivity, itae_setpoint=1e3, iae_load=2.1)
    gains, margins = tune(plant, "pi", limits, start=start)
    assert margins.performance.iae_load <= 2.1
    assert gains.criterion < 2.1


@pytest.mark.parametrize(("constant", "dead_time"), [(1e-5, 1.0), (1.0, 1e6), (1e5, 1.0)])
def test_the_first_order_model_is_right_however_far_lag_and_dead_time_are_apart(
    constant, dead_time
):
    model = first_order(lag(2.0, [constant], dead_time))
    assert model.gain == 2.0
    assert model.time_constant == pytest.approx(constant, rel=1e-3)
    assert model.dead_time == pytest.approx(dead_time, rel=1e-6, abs=1e-3 * dead_time)


def test_the_first_order_model_of_a_plant_that_jumps_begins_where_it_jumps():
    """(1 + 0.5 s) / (1 + s) jumps to one half, from where it rises with slope 1/2."""
    model = first_order(Plant((0.5, 1.0), (1.0, 1.0), 3.0))
    assert model.dead_time == pytest.approx(3.0, abs=0.02)
