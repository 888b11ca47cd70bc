"""A quantum and a window that are too coarse for the policy, and a grid that is too fine."""

from dataclasses import replace

import pytest

from tailc.errors import Code, TailcError
from tailc.pipeline.coarse_settings import coarse_settings
from tailc.pipeline.compile import compile_opened, compile_policy
from tailc.pipeline.spec import open_kind
from tests.tailc.policies.few_to_many import case as few_to_many
from tests.tailc.policies.rubik import case as rubik
from tests.tailc.policies.slow_to_fast import case as slow_to_fast
from tests.tailc.texts import swapped

DUAL = ("search: {method: grid, step: 20ms}", "search: {method: dual}")
QUANTUM = "quantum: 5ms"


def warnings(case, spec: str, code: Code):
    """Those of the code that a compile of the spec has."""
    case.spec.write_text(spec)
    return [one for one in compile_policy(str(case.spec)).findings if one.code is code]


@pytest.mark.parametrize("quantum", ["1h", "10s", "101ms"])
def test_a_quantum_longer_than_the_climbs_of_threads_is_a_warning(tmp_path, quantum):
    spec = swapped(few_to_many.SPEC, DUAL, (QUANTUM, f"quantum: {quantum}"))
    (warning,) = warnings(few_to_many.write(tmp_path), spec, Code.LONG_QUANTUM)
    assert "never climbs" in warning.message
    assert warning.place.excerpt[warning.place.column - 1 :].startswith(quantum)


@pytest.mark.parametrize("quantum", ["1h", "500ms"])
def test_a_quantum_longer_than_the_climbs_to_faster_cores_is_a_warning(tmp_path, quantum):
    spec = slow_to_fast.swapped((QUANTUM, f"quantum: {quantum}"))
    control = "control: {epoch: 50 requests, window: 200 requests}"
    spec = swapped(spec, (control, "control: off\nsearch: {method: dual}"))
    (warning,) = warnings(slow_to_fast.write(tmp_path), spec, Code.LONG_QUANTUM)
    assert warning.help.startswith("lower it well below")


@pytest.mark.parametrize(
    ("case", "quantum", "is_warned"),
    [
        (few_to_many, "50ms", True),
        (few_to_many, "20ms", False),
        (slow_to_fast, "100ms", True),
        (slow_to_fast, "1ms", False),
    ],
)
def test_a_quantum_longer_than_the_mean_demand_is_a_warning(tmp_path, case, quantum, is_warned):
    dual = (DUAL,) if case is few_to_many else ()
    spec = swapped(case.SPEC, *dual, (QUANTUM, f"quantum: {quantum}"))
    found = warnings(case.write(tmp_path), spec, Code.QUANTUM_OVER_DEMAND)
    assert len(found) == is_warned
    for warning in found:
        assert "longer than the mean demand of" in warning.message
        assert warning.place.excerpt[warning.place.column - 1 :].startswith(quantum)


@pytest.mark.parametrize(("case", "quantum"), [(few_to_many, "100ms"), (slow_to_fast, "500ms")])
def test_a_quantum_longer_than_all_climbs_has_one_warning(tmp_path, case, quantum):
    dual = (DUAL,) if case is few_to_many else ()
    case_files = case.write(tmp_path)
    case_files.spec.write_text(swapped(case.SPEC, *dual, (QUANTUM, f"quantum: {quantum}")))
    codes = [one.code for one in compile_policy(str(case_files.spec)).findings]
    assert codes.count(Code.LONG_QUANTUM) == 1
    assert Code.QUANTUM_OVER_DEMAND not in codes


def test_a_table_without_climbs_has_no_quantum_to_compare_with_the_demand(tmp_path):
    one_thread = ("speedup: [1, 1.8, 2.4]", "speedup: [1]")
    spec = swapped(few_to_many.SPEC, DUAL, one_thread, (QUANTUM, "quantum: 1h"))
    assert not warnings(few_to_many.write(tmp_path), spec, Code.QUANTUM_OVER_DEMAND)


def test_a_quantum_within_the_climbs_is_no_warning(tmp_path):
    spec = swapped(few_to_many.SPEC, DUAL)
    assert not warnings(few_to_many.write(tmp_path), spec, Code.LONG_QUANTUM)


def test_a_table_without_climbs_has_no_quantum_to_warn_of(tmp_path):
    one_thread = ("speedup: [1, 1.8, 2.4]", "speedup: [1]")
    spec = swapped(few_to_many.SPEC, DUAL, one_thread, (QUANTUM, "quantum: 1h"))
    assert not warnings(few_to_many.write(tmp_path), spec, Code.LONG_QUANTUM)


# A percentile of a window is its maximum unless 1 request in 20 (100) may be above it.
@pytest.mark.parametrize(
    ("percentile_ppm", "window", "is_warned"),
    [
        (950_000, 1, True),
        (950_000, 19, True),
        (950_000, 20, False),
        (990_000, 1, True),
        (990_000, 99, True),
        (990_000, 100, False),
    ],
)
def test_a_window_whose_percentile_is_its_maximum_is_a_warning(
    tmp_path, percentile_ppm, window, is_warned
):
    opened = open_kind(str(rubik.write(tmp_path).spec))
    policy = compile_opened(opened).policy
    table, controller = policy.forms
    controller = replace(
        controller, percentile_ppm=percentile_ppm, epoch_requests=1, window_requests=window
    )
    scaled = replace(policy, forms=(table, controller))
    found = coarse_settings(scaled, opened.loaded)
    assert [one.code for one in found] == [Code.SHORT_WINDOW] * is_warned


def test_a_window_of_a_feedback_in_time_is_counted_in_requests(tmp_path):
    spec = rubik.swapped(
        ("feedback: {epoch: 20ms, window: 80ms}", "feedback: {epoch: 5ms, window: 5ms}")
    )
    (warning,) = warnings(rubik.write(tmp_path), spec, Code.SHORT_WINDOW)
    assert "`feedback.window` is 10 requests" in warning.message
    assert "20 requests or more" in warning.help


@pytest.mark.parametrize("step", ["1us", "2us", "7us"])
def test_a_grid_of_too_many_schedules_is_refused_before_its_search(tmp_path, step):
    case = few_to_many.write(tmp_path)
    four_rungs = ("speedup: [1, 1.8, 2.4]", "speedup: [1, 1.8, 2.4, 2.8]")
    case.spec.write_text(swapped(few_to_many.SPEC, ("step: 20ms", f"step: {step}"), four_rungs))
    with pytest.raises(TailcError) as refused:
        compile_policy(str(case.spec), overrides={"method": "grid"})
    (finding,) = refused.value.findings
    assert finding.code is Code.METHOD_UNFIT
    assert "which no search ends on" in finding.message
    assert finding.place.line == 13
