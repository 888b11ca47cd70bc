"""Pictures of a loop: a plant of one lag, worked out by a plain recursion and by python-control."""

from __future__ import annotations

from xml.etree import ElementTree

import control
import numpy as np
import pytest

from tailc.report.page.controllers import control_section
from tests.tailc.report.pictures.loops_made import KI, KP, made_tuned


@pytest.fixture(scope="module")
def figures():
    section = control_section(made_tuned())
    assert section is not None
    return {figure.ident: figure for figure in section.figures}


def rows(figure, *columns):
    return np.array([[float(row[at]) for at in columns] for row in figure.numbers[0].rows])


def looped(setpoint: float, load: float, epochs: int) -> list[float]:
    """y(k) = 0.5 y(k-1) + 50 (u(k-1) + load), u in velocity form, from rest."""
    output, control_output, before = [0.0], 0.0, 0.0
    for _ in range(epochs):
        error = setpoint - output[-1]
        control_output += KP * (error - before) + KI * error
        before = error
        output.append(0.5 * output[-1] + 50 * (control_output + load))
    return output


@pytest.mark.parametrize(("ident", "setpoint", "load"), [("step", 1.0, 0.0), ("load", 0.0, 0.01)])
def test_responses_are_those_of_the_recursion(figures, ident, setpoint, load):
    times, values = rows(figures[f"control-{ident}"], 1, 2).T
    wanted = looped(setpoint, load, int(times[-1]))
    assert len(times) > 10
    np.testing.assert_allclose(values, [wanted[round(t)] for t in times], rtol=1e-4, atol=1e-5)


def test_gain_and_phase_are_those_of_the_control_library(figures):
    # 50 / (z - 0.5) under kp + ki z / (z - 1).
    loop = control.TransferFunction([50 * (KP + KI), -50 * KP], [1, -1.5, 0.5], True)
    omega, gains = rows(figures["control-gain"], 1, 2).T
    wanted = np.ravel(loop(np.exp(1j * omega)))
    np.testing.assert_allclose(gains, np.abs(wanted), rtol=1e-4)
    _, phase = rows(figures["control-phase"], 1, 2).T
    angle = np.degrees(np.unwrap(np.angle(wanted)))
    np.testing.assert_allclose(phase, angle, atol=0.01)
    _, phase_margin, *_ = control.stability_margins(loop)
    # The phase is half a turn at z = -1, which the library leaves out.
    gain_margin = 1 / abs(complex(loop(-1)))
    (told,) = figures["control-nyquist"].numbers[0].rows
    wanted = [gain_margin, phase_margin]
    assert [float(text) for text in told[1:3]] == pytest.approx(wanted, rel=6e-3)


def test_measured_dots_stand_beside_the_plant_s_line(figures):
    fit = figures["control-fit"].numbers[0].rows
    measured = [float(row[3]) for row in fit if row[1] == "measured"]
    assert measured == [12, 19, 22, 23.5]
    # A quarter of the whole output: 12.5 (1 + 0.5 + 0.25 + ...) ms.
    assert [float(row[3]) for row in fit if row[1] == "plant"] == [12.5, 18.75, 21.875, 23.4375]
    assert "0.4 ms" in figures["control-fit"].caption


def test_the_plane_of_nyquist_has_one_scale(figures):
    root = ElementTree.fromstring(figures["control-nyquist"].svg)
    ticks = [t.attrib for t in root.iter("{http://www.w3.org/2000/svg}text")]
    across = sorted(float(t["x"]) for t in ticks if t["class"] == "tick middle")
    up = sorted(float(t["y"]) for t in ticks if t["class"] == "tick end")
    assert np.diff(across) == pytest.approx(np.diff(across)[0], abs=0.02)
    assert np.diff(up) == pytest.approx(np.diff(across)[0], abs=0.02)
