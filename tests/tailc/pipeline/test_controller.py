"""Controllers for servers whose tail is a formula, so that plants and outputs are known.

Tail = 100 ms + 100 ms x output + 0.5 ms x requests per second; a step shows in four epochs, a
quarter in each, as in a window of four epochs.
"""

import math
from types import SimpleNamespace

import control
import numpy as np
import pytest
from tailc_solvers.control.plant import SampledPlant
from tailc_solvers.control.tune import tune_sampled

from tailc.errors import Code, ExitCode, Place, TailcError
from tailc.forms.controller import ControlState, first_state, gains_at, output_ppm, step
from tailc.pipeline import plants
from tailc.pipeline.controller import tune
from tailc.pipeline.settings import control_settings
from tailc.problems.control import ControllerTerms, ControlProblem, LoopGains
from tests.tailc.pipeline.cores import MS, PPM, ladder, profile

RATES = (20_000, 60_000)
PROFILE = profile([10.0, 50.0, 120.0])


def tail_us(rate_mrps: int, output: float) -> float:
    return 100 * MS + 100 * MS * output + 0.5 * rate_mrps


@pytest.fixture
def formula(monkeypatch):
    """Replays that give the formula's tails and responses."""

    def surface(load, form, rates, outputs, **_):
        tails = np.array([[tail_us(rate, out / PPM) for out in outputs] for rate in rates])
        return SimpleNamespace(tail_us=tails, is_overloaded=np.zeros(tails.shape, bool))

    def response(load, form, rate, first, last, *, epochs, **_):
        ramp = np.minimum(np.arange(epochs + 1) / 4, 1)
        return tail_us(rate, first / PPM) + ramp * 100 * MS * (last - first) / PPM

    monkeypatch.setattr(plants, "tail_surface", surface)
    monkeypatch.setattr(plants, "step_response", response)


def problem(**changes) -> ControlProblem:
    told = {"rates_mrps": RATES, "target_us": 160 * MS, "intervals": 3, **changes}
    return ControlProblem(
        990_000,
        epoch_requests=500,
        window_requests=2_000,
        **{"structure": ControllerTerms.PI, **told},
    )


def tuned(form=None, **changes):
    return tune(problem(**changes), form or ladder(100 * MS), PROFILE, threads=1)


@pytest.mark.usefixtures("formula")
def test_each_interval_works_where_its_middle_rate_meets_the_target():
    intervals = tuned().intervals
    # At 10, 30 and 50/s: 160 = 100 + 100 z + 0.5 rate.
    assert [each.operation.rate_mrps for each in intervals] == [10_000, 30_000, 50_000]
    assert [each.operation.output_ppm for each in intervals] == [550_000, 450_000, 350_000]
    assert [each.operation.tail_us for each in intervals] == [160 * MS] * 3


@pytest.mark.usefixtures("formula")
def test_the_plant_is_the_window_s_ramp():
    for each in tuned().intervals:
        plant = each.plant.plant
        assert plant.gain == pytest.approx(100, rel=1e-6)
        assert plant.delay == 1
        assert plant.step_response(5) == pytest.approx([25, 50, 75, 100, 100], rel=1e-6)
        assert each.plant.residual_ms < 1e-6


@pytest.mark.usefixtures("formula")
def test_the_output_begins_where_the_highest_rates_need_it():
    assert tuned().controller.first_ppm == 350_000


@pytest.mark.usefixtures("formula")
def test_gains_hold_from_the_first_rate_of_their_interval():
    made = tuned(boundaries_mrps=(50_000,), intervals=2).controller
    assert [row.first_rate_mrps for row in made.gains] == [0, 50_000]
    assert gains_at(made, 49_999) == made.gains[0]
    assert gains_at(made, 50_000) == made.gains[1]


@pytest.mark.usefixtures("formula")
def test_the_whole_numbers_close_the_loop_that_was_tuned():
    found = tuned()
    made, state = found.controller, first_state(found.controller)
    windows = [tail_us(50_000, 0.0)] * 4
    for _ in range(40):
        windows = [*windows[1:], tail_us(50_000, output_ppm(made, state) / PPM)]
        state = step(made, state, round(sum(windows) / 4), 50_000)
        assert isinstance(state, ControlState)
    assert output_ppm(made, state) == pytest.approx(350_000, abs=500)


# python-control looks for crossings at the integrator's pole too.
@pytest.mark.filterwarnings("ignore:(divide by zero|invalid value) encountered:RuntimeWarning")
@pytest.mark.usefixtures("formula")
def test_margins_are_those_that_python_control_finds_for_the_whole_numbers():
    found = tuned()
    unit = MS / 2**found.controller.fraction_bits
    z = control.tf([1, 0], [1], True)
    for each in found.intervals:
        plant = each.plant.plant
        law = (each.gains.kp + each.gains.ki * z / (z - 1)) * unit
        loop = law * sum(b / z ** (plant.delay + at) for at, b in enumerate(plant.b))
        gain_margin, phase_margin, *_ = control.margin(loop)
        assert each.margins.gain_margin == pytest.approx(gain_margin, rel=0.01)
        assert each.margins.phase_margin_deg == pytest.approx(phase_margin, rel=0.01)


@pytest.mark.usefixtures("formula")
def test_a_pid_controller_differentiates_and_a_pi_controller_does_not():
    assert all(row.kd == 0 for row in tuned().controller.gains)
    assert any(row.kd != 0 for row in tuned(structure=ControllerTerms.PID).controller.gains)


@pytest.mark.usefixtures("formula")
def test_the_user_s_gains_move_the_first_threshold():
    own = (LoopGains(0.1, 0.2, 0.0),) * 3
    made = tuned(gains=own).controller
    unit = MS / 2**made.fraction_bits
    # 0.2 ms of a threshold of 100 ms is 0.002 of the output.
    assert made.gains[0].ki * unit == pytest.approx(0.002, rel=1e-6)
    assert made.gains[0].kp * unit == pytest.approx(0.001, rel=1e-6)


@pytest.mark.usefixtures("formula")
def test_published_gains_are_stable_here_and_of_the_tuner_s_order_of_magnitude():
    # Haque et al., MICRO 2017, table 2; the first threshold moves the tail one to one here.
    published = (
        LoopGains(0.11, 0.49, 0.0),
        LoopGains(0.15, 0.25, 0.0),
        LoopGains(0.19, 0.17, 0.03),
    )
    bounds = {"boundaries_mrps": (50_000, 70_000), "rates_mrps": (20_000, 90_000)}
    own = tuned(gains=published, **bounds).controller
    found = tuned(**bounds).controller
    for ours, theirs in zip(found.gains, own.gains, strict=True):
        assert 0.1 < ours.ki / 2**found.fraction_bits * 2**own.fraction_bits / theirs.ki < 10
        assert 0.1 < ours.kp / 2**found.fraction_bits * 2**own.fraction_bits / theirs.kp < 10


@pytest.mark.usefixtures("formula")
@pytest.mark.parametrize(
    "wild", [LoopGains(0, 3, 0), LoopGains(0, -0.2, 0), LoopGains(5, 0.2, 0), LoopGains(0.2, 0, 0)]
)
def test_gains_that_would_not_be_stable_are_refused_where_they_stand(wild):
    calm = LoopGains(0.1, 0.2, 0.0)
    places = tuple(Place("service.yaml", line) for line in (7, 8, 9))
    with pytest.raises(TailcError) as refused:
        tuned(gains=(calm, wild, calm), gains_at=places)
    (finding,) = refused.value.findings
    assert finding.code is Code.UNSTABLE_GAINS
    assert refused.value.exit_code is ExitCode.BAD_CONTENT
    assert finding.place.line == 8
    assert "30/s" in finding.message
    assert finding.help


@pytest.mark.usefixtures("formula")
def test_a_target_that_a_rate_cannot_meet_names_the_nearest_of_each():
    with pytest.raises(TailcError) as refused:
        tuned(target_us=125 * MS, rates_mrps=(20_000, 60_000, 80_000))
    (finding,) = refused.value.findings
    assert finding.code is Code.INFEASIBLE
    assert "at 2 of 3 rates" in finding.message
    assert "130 ms at 60/s, 140 ms at 80/s" in finding.message
    assert "lower the rates to 20/s, relax the latency to 140 ms" in finding.help


@pytest.mark.usefixtures("formula")
def test_where_the_target_is_met_anyway_the_output_stays_at_most():
    intervals = tuned(target_us=300 * MS).intervals
    assert [each.operation.output_ppm for each in intervals] == [PPM] * 3
    assert intervals[0].operation.tail_us == 205 * MS


@pytest.mark.usefixtures("formula")
def test_ages_of_nothing_need_no_controller():
    assert tuned(ladder()) is None


def test_a_tail_that_thresholds_do_not_move_is_not_controlled(monkeypatch, formula):
    def flat(load, form, rates, outputs, **_):
        tails = np.full((len(rates), len(outputs)), 100.0 * MS)
        return SimpleNamespace(tail_us=tails, is_overloaded=np.zeros(tails.shape, bool))

    monkeypatch.setattr(plants, "tail_surface", flat)
    with pytest.raises(TailcError) as refused:
        tuned()
    (finding,) = refused.value.findings
    assert finding.code is Code.NO_TUNING
    assert finding.message.endswith("controlled: it is 100 ms at all outputs of the controller")
    assert refused.value.exit_code is ExitCode.INFEASIBLE


def test_an_overloaded_rate_is_none_that_can_be_met(monkeypatch, formula):
    def overloaded(load, form, rates, outputs, **_):
        tails = np.full((len(rates), len(outputs)), 100.0 * MS)
        over = np.array([[rate > 50_000] * len(outputs) for rate in rates])
        return SimpleNamespace(tail_us=tails, is_overloaded=over)

    monkeypatch.setattr(plants, "tail_surface", overloaded)
    with pytest.raises(TailcError) as refused:
        tuned()
    assert "none (overloaded) at 60/s" in refused.value.findings[0].message


@pytest.mark.usefixtures("formula")
def test_the_evidence_has_each_interval_s_plant_and_margins_in_whole_numbers():
    settings = control_settings(tuned())
    assert settings["interval_2_plant_gain_us"] == 100 * MS
    assert settings["interval_2_output_ppm"] == 450_000
    assert settings["interval_3_rate_mrps"] == 50_000
    assert settings["interval_1_max_sensitivity_ppm"] <= 1_200_001
    assert settings["interval_1_overshoot_ppm"] <= 20_000 + 1_000


def test_on_replays_the_answer_does_not_depend_on_the_threads():
    asked = ControlProblem(900_000, 90 * MS, 50, 200, ControllerTerms.PI, (40_000,), 1)
    found = [tune(asked, ladder(60 * MS), PROFILE, threads) for threads in (1, 2)]
    assert found[0].controller == found[1].controller
    assert found[0].surface == found[1].surface


def test_the_last_bits_of_a_plant_do_not_reach_the_gains():
    exact = SampledPlant((50.0,), (1.0, -0.3))
    nearby = SampledPlant((math.nextafter(50.0, 60.0),), (1.0, math.nextafter(-0.3, 0.0)))
    first, second = (
        tune_sampled(plant, structure="pi", max_sensitivity=1.2) for plant in (exact, nearby)
    )
    assert (first.kp, first.ki, first.kd) == (second.kp, second.ki, second.kd)
    assert [float(f"{gain:.4e}") for gain in (first.kp, first.ki)] == [first.kp, first.ki]
