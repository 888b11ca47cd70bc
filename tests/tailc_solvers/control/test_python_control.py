"""Plants, controllers and loops as python-control's objects, and what it finds of every loop."""

from dataclasses import replace

import control
import numpy as np
import pytest
from tailc_solvers.control.margins import loop_margins
from tailc_solvers.control.plant import Plant, SampledPlant, lag
from tailc_solvers.control.python_control import (
    figures,
    from_control,
    gains_from_control,
    law_to_control,
    loop_to_control,
    to_control,
)

from tests.tailc_solvers.control.plants import CONTINUOUS, SAMPLED

LOOPS = SAMPLED | CONTINUOUS
EXACT = {
    name: plant for name, (plant, _) in LOOPS.items() if not getattr(plant, "dead_time", False)
}


@pytest.mark.parametrize("name", LOOPS)
def test_python_control_finds_the_same_figures(name):
    plant, gains = LOOPS[name]
    found = figures(plant, gains, loop_margins(plant, *gains))
    assert not [figure for figure in found if not figure.agrees]


@pytest.mark.parametrize("name", ["window", "first order", "first order, dead time", "four lags"])
@pytest.mark.parametrize("which", [0, 1])
def test_the_figures_of_a_gain_that_is_too_large_do_not_agree(name, which):
    plant, gains = LOOPS[name]
    wrong = [gain * (1.2 if at == which else 1.0) for at, gain in enumerate(gains)]
    found = figures(plant, gains, loop_margins(plant, *wrong))
    assert not all(figure.agrees for figure in found)


def test_the_figures_of_a_plant_in_other_units_agree_as_well():
    plant, gains = lag(1e-4, [2e5], 1e5), (5e3, 0.03, 0.0)
    assert all(figure.agrees for figure in figures(plant, gains, loop_margins(plant, *gains)))


@pytest.mark.parametrize("name", EXACT)
def test_a_plant_comes_back_from_its_object(name):
    again = from_control(to_control(EXACT[name]))
    if name == "integrating":  # numerators and denominators may have a common power of z
        assert again.response_at(0.3) == pytest.approx(EXACT[name].response_at(0.3))
    else:
        assert again == EXACT[name]


@pytest.mark.parametrize("name", LOOPS)
def test_gains_come_back_from_their_controller(name):
    plant, gains = LOOPS[name]
    assert gains_from_control(law_to_control(plant, gains)) == pytest.approx(gains, abs=1e-12)


def test_a_sampled_plant_has_the_step_response_of_its_object():
    plant = SampledPlant((0.1, 0.05), (1.0, -1.5, 0.54), 2)
    system = to_control(plant, 0.5)
    wanted = control.step_response(system, np.arange(21) * 0.5).outputs
    assert plant.step_response(20) == pytest.approx(wanted[1:], abs=1e-12)


def test_a_dead_time_is_approximated_and_told_where_it_comes_back():
    plant = lag(2.0, [1.0], 0.5)
    at = 1j * np.array([0.1, 1.0, 3.0])
    assert to_control(plant)(at) == pytest.approx(plant.response_at(at.imag), abs=1e-3)
    assert from_control(control.tf([2.0], [1.0, 1.0]), 0.5) == plant


def test_state_space_is_a_plant_too():
    plant = from_control(control.ss(control.tf([1.0], [1.0, 3.0, 2.0])))
    assert isinstance(plant, Plant)
    assert plant.response_at(1.0) == pytest.approx(Plant((1.0,), (1.0, 3.0, 2.0)).response_at(1.0))


def test_an_open_loop_is_plant_times_controller():
    plant, gains = CONTINUOUS["three lags"]
    loop = loop_to_control(plant, gains)
    assert loop(0.7j) == pytest.approx((to_control(plant) * law_to_control(plant, gains))(0.7j))


@pytest.mark.parametrize(
    ("system", "words"),
    [
        (control.tf([[[1], [2]]], [[[1, 1], [1, 2]]]), "one input"),
        (control.tf([1.0, 0.0], [1.0, 1.0]), "respond at once"),
        (control.tf([1.0, 0.0], [1.0, -0.5], 1), "at least 1 epoch"),
    ],
)
def test_what_is_no_plant_is_refused(system, words):
    with pytest.raises(ValueError, match=words):
        from_control(system)


def test_a_dead_time_in_z_is_refused():
    with pytest.raises(ValueError, match="as poles at 0"):
        from_control(control.tf([1.0], [1.0, -0.5], 1), 0.5)


@pytest.mark.parametrize(
    "law",
    [
        control.tf([1.0], [1.0, 1.0]),
        control.tf([1.0, 1.0, 1.0], [1.0, 1.0, 0.0]),
        control.tf([1.0, 1.0], [1.0, -0.5], 1),
        control.tf([1.0, 0, 0, 0], [1.0, 0.0]),
    ],
)
def test_another_controller_has_no_gains(law):
    with pytest.raises(ValueError, match="PI or PID"):
        gains_from_control(law)


def test_a_peak_just_below_1_is_no_crossing():
    """python-control names it among those where the phase margin is."""
    plant = SampledPlant((215.37, 42.43), (1.0, -1.19977, 0.84942), 4)
    gains = (1.1116e-4, 3.3296e-4, 0.0)
    assert all(figure.agrees for figure in figures(plant, gains, loop_margins(plant, *gains)))


def test_a_figure_that_is_infinite_agrees_with_another_such_one():
    plant, gains = CONTINUOUS["first order"]
    found = loop_margins(plant, *gains)
    assert found.robustness.gain_margin == np.inf
    assert figures(plant, gains, found)[0].agrees
    near = replace(found, robustness=replace(found.robustness, gain_margin=1.5))
    assert not figures(plant, gains, near)[0].agrees


@pytest.mark.parametrize("ki", [0.003, 0.009, 0.03, 0.1])
def test_a_slow_crossing_is_found_where_polynomials_lose_digits(ki):
    """python-control's own grid begins above it."""
    b = (0.09406, 0.06761, -0.18656, 0.25271, -0.31865, 0.04672, 0.12758)
    plant, gains = SampledPlant(b=b, a=(1.0,), delay=3), (0.0, ki, 0.0)
    found = figures(plant, gains, loop_margins(plant, *gains))
    assert all(figure.agrees for figure in found)
    (phase,) = (figure for figure in found if figure.name == "phase margin")
    # An integrator of little gain has its phase of -90 degrees where it crosses 1.
    assert phase.theirs == pytest.approx(90.0, abs=3.0)
