import pytest

from tailc.errors import Code, TailcError
from tailc.pipeline.spec import open_kind
from tailc.policies.slow_to_fast import KIND
from tailc.problems.control import ControllerTerms, LoopGains
from tailc.problems.thresholds import ThresholdMethod, ThresholdObjective
from tests.tailc.pipeline.cores import profile
from tests.tailc.policies.slow_to_fast.case import swapped, write

CONTROL = "control: {epoch: 50 requests, window: 200 requests}"
PUBLISHED = """\
control:
  boundaries: [50/s, 70/s]
  gains:
    - {kp: 0.11, ki: 0.49}
    - {kp: 0.15, ki: 0.25}
    - {kp: 0.19, ki: 0.17, kd: 0.03}"""


def opened(folder, *changes):
    return open_kind(str(write(folder, swapped(*changes)).spec))


def test_rungs_have_the_power_of_their_type_and_the_target_is_the_slo_s(tmp_path):
    stated = KIND.reduce(opened(tmp_path).spec, profile([50.0, 291.0]))
    assert stated.power_ppm == (1_000_000, 6_800_000)
    assert (stated.target_us, stated.percentile_ppm) == (80_000, 950_000)
    assert (stated.objective, stated.method) == (ThresholdObjective.ENERGY, ThresholdMethod.DUAL)
    assert not stated.is_in_watts


def test_a_target_of_its_own_is_aimed_at(tmp_path):
    spec = opened(tmp_path, (CONTROL, CONTROL + "\ntarget: 75ms"))
    assert KIND.reduce(spec.spec, profile([50.0])).target_us == 75_000
    assert KIND.control(spec.spec, spec.loaded).target_us == 75_000


def test_speeds_of_their_own_are_searched_on_a_grid_unless_asked_otherwise(tmp_path):
    own = profile([50.0, 60.0], curves=((1.0, 2.0), (1.0, 1.5)), curve_of=[0, 1])
    spec = opened(tmp_path).spec
    assert KIND.reduce(spec, own).method is ThresholdMethod.GRID
    asked = spec.with_search({"method": "mip"})
    assert (KIND.reduce(asked, own).method, KIND.reduce(asked, own).solver) == (
        ThresholdMethod.MIP,
        "highs",
    )


@pytest.mark.parametrize("objective", ["tail", "efficiency"])
def test_the_extremes_have_no_target_and_no_controller(tmp_path, objective):
    spec = opened(tmp_path, (CONTROL, f"search: {{objective: {objective}}}"))
    stated = KIND.reduce(spec.spec, profile([50.0]))
    assert (stated.objective, stated.target_us) == (ThresholdObjective(objective), None)
    assert KIND.control(spec.spec, spec.loaded) is None


def test_published_gains_are_loaded_by_their_rates_and_know_their_lines(tmp_path):
    spec = opened(tmp_path, (CONTROL, PUBLISHED), ("80/s]", "90/s]"))
    asked = KIND.control(spec.spec, spec.loaded)
    assert asked.first_rates_mrps == (0, 50_000, 70_000)
    assert asked.middle_rates_mrps == (25_000, 60_000, 80_000)
    assert asked.gains == (
        LoopGains(0.11, 0.49, 0),
        LoopGains(0.15, 0.25, 0),
        LoopGains(0.19, 0.17, 0.03),
    )
    assert [place.line for place in asked.gains_at] == [18, 19, 20]
    assert asked.structure is ControllerTerms.PI


def test_an_objective_from_the_command_line_needs_its_rates_too(tmp_path):
    spec = opened(tmp_path, ("rates: [20/s, 80/s]\n", "search: {objective: tail}\n"))
    with pytest.raises(TailcError) as refused:
        KIND.control(spec.spec.with_search({"objective": "energy"}), spec.loaded)
    assert refused.value.findings[0].code is Code.MISSING_KEY
