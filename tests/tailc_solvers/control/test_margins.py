"""Margins and step figures against python-control and closed forms."""

import math

import control
import numpy as np
import pytest
from tailc_solvers.control.frequency import FILTER_RATIO
from tailc_solvers.control.kernels import (
    UNBOUNDED,
    IntegralLimits,
    integrals,
    law_of,
    new_record,
    respond,
)
from tailc_solvers.control.margins import (
    UnstableLoopError,
    loop_margins,
    loop_to_simulate,
    margins_sampled,
    responses,
)
from tailc_solvers.control.plant import Plant, SampledPlant, lag
from tailc_solvers.control.roots import characteristic, spectral_radius

from tests.tailc_solvers.control.plants import CONTINUOUS, SAMPLED

PADE_ORDER = 6
"""Of python-control's dead time in step responses: its own is exact in none."""


def sampled_open_loop(plant: SampledPlant, kp: float, ki: float, kd: float):
    """B C / (A (1 - z^-1)) as python-control's transfer function in z."""
    law = (kp + ki + kd, -(kp + 2 * kd), kd)
    num = np.concatenate((np.zeros(plant.delay), np.convolve(plant.b, law)))
    den = np.convolve(plant.a, (1.0, -1.0))
    size = max(num.size, den.size)
    num, den = np.pad(num, (0, size - num.size)), np.pad(den, (0, size - den.size))
    return control.tf(num, den, 1)


def law(kp: float, ki: float, kd: float):
    s = control.tf("s")
    found = kp + ki / s
    return found + kd * s / (1 + s * kd / (kp * FILTER_RATIO)) if kd else found


def exact_response(plant: Plant, gains: tuple[float, float, float]):
    """The open loop as response data, dead time exact, dense enough for linear interpolation."""
    omega = np.geomspace(1e-3, 1e3, 60_001)
    rational = control.tf(plant.num, plant.den) * law(*gains)
    data = rational(1j * omega) * np.exp(-1j * omega * plant.dead_time)
    return control.frd(data, omega, smooth=False), data, omega


def nearest_to_one(factors) -> float:
    return min(factors, key=lambda factor: abs(math.log(factor)), default=math.inf)


@pytest.mark.parametrize("name", SAMPLED)
def test_sampled_margins_are_python_controls(name):
    plant, gains = SAMPLED[name]
    found = loop_margins(plant, *gains).robustness
    loop = sampled_open_loop(plant, *gains)
    gain, phase, _, _, at, _ = control.stability_margins(loop, returnall=True, epsw=1e-8)
    at_pi = loop(-1).real  # where python-control looks for no crossing
    factors = [*gain, -1 / at_pi] if at_pi < 0 else gain
    assert found.gain_margin == pytest.approx(nearest_to_one(factors), rel=1e-4)
    assert found.phase_margin_deg == pytest.approx(min(np.abs(phase)), abs=1e-3)
    assert found.delay_margin == pytest.approx(min(np.radians(phase % 360) / at), rel=1e-4)
    omega = np.linspace(1e-4, math.pi, 200_001)
    response = loop(np.exp(1j * omega))
    assert found.max_sensitivity == pytest.approx(np.max(1 / abs(1 + response)), rel=1e-6)
    complementary = np.max(abs(response / (1 + response)))
    assert found.max_complementary == pytest.approx(complementary, rel=1e-6)


@pytest.mark.parametrize("name", SAMPLED)
def test_the_gain_margin_is_where_a_root_reaches_the_unit_circle(name):
    plant, gains = SAMPLED[name]
    margin = loop_margins(plant, *gains).robustness.gain_margin
    at_the_edge = characteristic(plant, *(margin * gain for gain in gains), plant.delay)
    assert spectral_radius(at_the_edge) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("name", CONTINUOUS)
def test_margins_with_exact_dead_time_are_python_controls(name):
    plant, gains = CONTINUOUS[name]
    found = loop_margins(plant, *gains).robustness
    _, data, omega = exact_response(plant, gains)
    crossing = np.nonzero(np.diff(np.sign(data.imag)) != 0)[0]
    factors = [-1 / data.real[i] for i in crossing if data.real[i] < 0]
    assert found.gain_margin == pytest.approx(nearest_to_one(factors), rel=2e-3)
    crossing = np.nonzero(np.diff(np.sign(abs(data) - 1)) != 0)[0]
    angle = np.angle(-data[crossing])
    assert found.phase_margin_deg == pytest.approx(np.degrees(min(abs(angle))), abs=0.1)
    delays = angle % (2 * math.pi) / omega[crossing]
    assert found.delay_margin == pytest.approx(min(delays), rel=2e-3)
    assert found.max_sensitivity == pytest.approx(np.max(1 / abs(1 + data)), rel=1e-4)
    complementary = np.max(abs(data / (1 + data)))
    assert found.max_complementary == pytest.approx(complementary, rel=1e-4)


@pytest.mark.parametrize("name", [n for n, (p, _) in CONTINUOUS.items() if not p.dead_time])
def test_margins_without_dead_time_are_those_of_stability_margins(name):
    plant, gains = CONTINUOUS[name]
    found = loop_margins(plant, *gains).robustness
    loop = control.tf(plant.num, plant.den) * law(*gains)
    gain, phase, _, _, at, _ = control.stability_margins(loop, returnall=True)
    assert found.gain_margin == pytest.approx(nearest_to_one(gain), rel=1e-6)
    assert found.phase_margin_deg == pytest.approx(min(abs(phase)), abs=1e-6)
    assert found.delay_margin == pytest.approx(min(np.radians(phase % 360) / at), rel=1e-6)


@pytest.mark.parametrize("name", SAMPLED)
def test_sampled_responses_are_python_controls(name):
    plant, gains = SAMPLED[name]
    closed = control.feedback(sampled_open_loop(plant, *gains), 1)
    times, outputs, _ = responses(plant, *gains, setpoint=1.0, load=0.0, until=300.0)
    wanted = control.forced_response(closed, times, np.ones(times.size)).outputs
    np.testing.assert_allclose(outputs, wanted, rtol=0, atol=1e-8)
    info = control.step_info(closed, T=np.arange(3000.0))
    performed = loop_margins(plant, *gains).performance
    assert performed.overshoot == pytest.approx(info["Overshoot"] / 100, abs=1e-6)
    assert performed.settling == info["SettlingTime"]
    error = 1.0 - control.step_response(closed, np.arange(3000.0)).outputs
    assert performed.iae_setpoint == pytest.approx(np.abs(error).sum(), rel=1e-4)
    assert performed.itae_setpoint == pytest.approx(
        (np.arange(3000) * np.abs(error)).sum(), rel=1e-3
    )


@pytest.mark.parametrize("name", SAMPLED)
def test_sampled_loads_are_rejected_as_python_control_says(name):
    plant, gains = SAMPLED[name]
    loop = sampled_open_loop(plant, *gains)
    own = sampled_open_loop(plant, 0.0, 1.0, 0.0) * control.tf([1, -1], [1, 0], 1)
    times, outputs, _ = responses(plant, *gains, setpoint=0.0, load=1.0, until=300.0)
    wanted = control.forced_response(own / (1 + loop), times, np.ones(times.size)).outputs
    np.testing.assert_allclose(outputs, wanted, rtol=0, atol=1e-6)
    iae = loop_margins(plant, *gains).performance.iae_load
    settled = control.step_response(own / (1 + loop), np.arange(3000.0)).outputs
    assert iae == pytest.approx(np.abs(settled).sum(), rel=1e-3)


@pytest.mark.parametrize("name", CONTINUOUS)
def test_responses_in_continuous_time_are_python_controls(name):
    """Dead time by Pade there: its error is some per cent of a step near the first arrival."""
    plant, gains = CONTINUOUS[name]
    rational = control.tf(plant.num, plant.den)
    if plant.dead_time:
        rational = rational * control.tf(*control.pade(plant.dead_time, PADE_ORDER))
    closed = control.feedback(control.ss(rational) * control.ss(law(*gains)), 1)
    times, outputs, _ = responses(plant, *gains, setpoint=1.0, load=0.0, until=30.0)
    wanted = control.forced_response(closed, times, np.ones(times.size)).outputs
    later = times > 2 * plant.dead_time
    tolerance = 0.02 if plant.dead_time else 1e-3
    np.testing.assert_allclose(outputs[later], wanted[later], rtol=0, atol=tolerance)


@pytest.mark.parametrize("name", [n for n, (p, _) in CONTINUOUS.items() if not p.dead_time])
def test_step_figures_without_dead_time_are_those_of_step_info(name):
    plant, gains = CONTINUOUS[name]
    closed = control.ss(control.feedback(control.tf(plant.num, plant.den) * law(*gains), 1))
    times = np.linspace(0.0, 200.0, 40_001)
    info = control.step_info(closed, T=times)
    performed = loop_margins(plant, *gains).performance
    assert performed.overshoot == pytest.approx(info["Overshoot"] / 100, abs=1e-3)
    assert performed.settling == pytest.approx(info["SettlingTime"], abs=0.1)
    error = 1.0 - control.forced_response(closed, times, np.ones(times.size)).outputs
    assert performed.iae_setpoint == pytest.approx(np.trapezoid(abs(error), times), rel=1e-3)
    assert performed.itae_setpoint == pytest.approx(
        np.trapezoid(times * abs(error), times), rel=2e-3
    )


def test_a_load_without_overshoot_has_an_iae_of_one_over_the_integral_gain():
    plant = lag(1.0, [1.0], 1.0)
    performed = loop_margins(plant, 0.4, 0.3, 0.0).performance
    assert performed.iae_load == pytest.approx(1 / 0.3, rel=1e-3)


def test_a_first_order_loop_that_cancels_its_pole_is_a_first_order_lag():
    """With kp = T, ki = 1 around 1 / (T s + 1): 1 / (s + 1), ITAE = 1, settled at ln 50."""
    performed = loop_margins(lag(1.0, [2.0]), 2.0, 1.0, 0.0).performance
    assert performed.iae_setpoint == pytest.approx(1.0, rel=1e-3)
    assert performed.itae_setpoint == pytest.approx(1.0, rel=1e-3)
    assert performed.settling == pytest.approx(math.log(50), abs=0.05)
    assert performed.overshoot == pytest.approx(0.0, abs=1e-6)


def test_the_margins_of_an_integral_loop_around_dead_time_are_known():
    """L = k e^(-s) / s: crosses 1 at k, turns to -180 degrees at pi / 2."""
    robust = loop_margins(lag(1.0, [], 1.0), 0.0, 0.5, 0.0).robustness
    assert robust.gain_margin == pytest.approx(math.pi / 2 / 0.5, rel=1e-9)
    assert robust.phase_margin_deg == pytest.approx(90 - math.degrees(0.5), rel=1e-9)
    assert robust.delay_margin == pytest.approx((math.pi / 2 - 0.5) / 0.5, rel=1e-9)


@pytest.mark.parametrize(
    ("plant", "gains"),
    [
        (SampledPlant((0.5,)), (0.0, 4.1, 0.0)),
        (SampledPlant((0.5,)), (0.0, -0.1, 0.0)),
        (SampledPlant((0.1,), (1.0, -1.1)), (0.1, 0.1, 0.0)),
        (lag(1.0, [], 1.0), (0.0, 1.6, 0.0)),
        (lag(1.0, [], 1.0), (1.1, 0.1, 0.0)),
        (lag(1.0, [1.0] * 3), (9.0, 0.1, 0.0)),
        (lag(1.0, [1.0]), (-0.5, -0.1, 0.0)),
        (Plant((1.0,), (1.0, 1.0, 0.0)), (0.1, 0.2, 0.0)),
    ],
)
def test_a_loop_that_is_not_stable_has_no_margins(plant, gains):
    with pytest.raises(UnstableLoopError, match="not stable"):
        loop_margins(plant, *gains)


def test_a_loop_must_integrate_and_its_gains_be_finite():
    with pytest.raises(ValueError, match="ki must not be 0"):
        margins_sampled(SampledPlant((0.5,)), 0.5, 0.0, 0.0)
    with pytest.raises(ValueError, match="finite"):
        margins_sampled(SampledPlant((0.5,)), math.nan, 0.1, 0.0)
    with pytest.raises(ValueError, match="same sign"):
        loop_margins(lag(1.0, [1.0], 1.0), 0.0, 0.1, 0.1)


def test_the_delay_margin_in_epochs_is_where_an_epoch_more_is_too_many():
    plant, gains = SampledPlant((0.125,) * 4), (0.11, 0.49, 0.0)
    margin = margins_sampled(plant, *gains).delay_margin_epochs
    margins_sampled(SampledPlant(plant.b, delay=1 + math.floor(margin)), *gains)
    with pytest.raises(UnstableLoopError):
        margins_sampled(SampledPlant(plant.b, delay=1 + math.ceil(margin)), *gains)


def test_a_simulation_that_diverges_says_so():
    from tailc_solvers.control.loop import sampled_loop

    loop = sampled_loop(SampledPlant((1.0,)))
    record = new_record(loop, 500)
    assert respond(loop, law_of(loop, 0.0, 3.0, 0.0), 1.0, 0.0, 1e-4, UNBOUNDED, record) == -1


@pytest.mark.parametrize("setpoint", [1.0, 0.0])
@pytest.mark.parametrize(
    ("plant", "gains"), (CONTINUOUS | SAMPLED).values(), ids=(CONTINUOUS | SAMPLED).keys()
)
def test_a_response_is_given_up_where_its_integrals_exceed_what_they_may_be(plant, gains, setpoint):
    kp, ki, kd = gains
    loop, steps = loop_to_simulate(plant, kp, kd)
    record, law = new_record(loop, steps), law_of(loop, *gains)

    def made(most: IntegralLimits) -> int:
        return respond(loop, law, setpoint, 1.0 - setpoint, 1e-4, most, record)

    held = 0.0 if plant.is_integrating else setpoint / plant.gain
    total = (held - (1.0 - setpoint)) / ki
    whole = made(UNBOUNDED)
    iae, itae = integrals(loop, record, whole, total)
    assert made(IntegralLimits(total, 1.0001 * iae, 1.0001 * itae)) == whole
    assert made(IntegralLimits(total, 0.9999 * iae, math.inf)) == -1
    assert made(IntegralLimits(total, math.inf, 0.9999 * itae)) == -1
