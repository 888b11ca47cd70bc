"""Loops of a bound, against python-control and by hand."""

import control
import numpy as np
import pytest

from tailc.errors import Code, TailcError
from tailc.pipeline.bound_loop import is_stable
from tailc.pipeline.compile import compile_policy
from tailc.policies.rubik.feedback_spec import KI, KP
from tests.tailc.policies.rubik.case import swapped, write

FEEDBACK = "feedback: {epoch: 20ms, window: 80ms}"


def loop(kp, ki, epochs, slope=1.0):
    """The open loop in z: a mean of the last epochs under a PI controller in velocity form."""
    plant = control.tf([slope / epochs] * epochs, [1.0] + [0.0] * epochs, True)
    return plant * control.tf([kp + ki, -kp], [1.0, -1.0], True)


def is_stable_by_poles(kp, ki, epochs):
    poles = control.feedback(loop(kp, ki, epochs), 1).poles()
    return bool(np.abs(poles).max() < 1)


@pytest.mark.parametrize("epochs", [1, 4, 10])
@pytest.mark.parametrize("kp", [0.0, 0.4, 0.9, 3.0])
@pytest.mark.parametrize("ki", [0.02, 0.13, 0.3, 1.0, 2.5])
def test_the_loop_is_stable_where_all_poles_of_python_control_are_inside(kp, ki, epochs):
    assert is_stable(kp, ki, epochs) == is_stable_by_poles(kp, ki, epochs)


@pytest.mark.parametrize(("kp", "stable"), [(0.99, True), (1.01, False)])
def test_without_an_integral_a_window_of_an_epoch_bears_gains_below_one(kp, stable):
    """The output is 1 - kp y, with y one epoch late."""
    assert is_stable(kp, 0.0, 1) is stable


def test_a_finer_window_bears_as_much_integrated_over_all_of_it():
    assert is_stable(0.4, 0.13 / 100, 1_000)
    assert not is_stable(0.4, 3.0 / 100, 1_000)


@pytest.mark.parametrize(("slope", "most"), [(1.0, 1.4), (1.5, 1.6)])
def test_the_default_gains_are_robust_at_the_slopes_that_were_seen(slope, most):
    omega = np.linspace(1e-3, np.pi, 20_000)
    response = loop(float(KP), float(KI), 10, slope)(np.exp(1j * omega))
    assert 1.2 < np.abs(1 / (1 + response)).max() < most


def test_gains_that_are_not_stable_are_refused_where_they_stand(tmp_path):
    spec = swapped((FEEDBACK, "feedback: {kp: 0.1, ki: 2, epoch: 100ms, window: 400ms}"))
    with pytest.raises(TailcError) as caught:
        compile_policy(str(write(tmp_path, spec).spec))
    (finding,) = caught.value.findings
    assert finding.code is Code.UNSTABLE_GAINS
    assert finding.place.excerpt[finding.place.column - 1 :].startswith("2,")
    assert "window of 4 epochs" in finding.message
