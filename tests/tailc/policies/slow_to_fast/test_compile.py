"""The command line: what compiles, and what is refused with its exit code and writes nothing."""

import json

import numpy as np
import pytest
from tailc_solvers.backends.adapters import Solver
from tailc_solvers.backends.linear import SolverAnswer, SolverOutcome, SolverPoint

from tailc.artifact.files import read_policy
from tests.tailc.policies.slow_to_fast.case import swapped, write
from tests.tailc.tuning.short import brief_estimates

CONTROL = "control: {epoch: 50 requests, window: 200 requests}"
OFF = (CONTROL, "control: off")


@pytest.fixture(scope="module", autouse=True)
def _brief():
    with brief_estimates():
        yield


@pytest.fixture
def compiled(tmp_path, tailc):
    """Compile a spec with more words; the end, and the names of the files that are there then."""

    def call(spec, *words):
        case = write(tmp_path, spec)
        before = {path.name for path in tmp_path.iterdir()}
        ended = tailc("compile", case.spec, "-o", tmp_path / "policy", "--no-progress", *words)
        return ended, sorted({path.name for path in tmp_path.iterdir()} - before)

    return call


REFUSED = {
    "zero power": (
        swapped(
            (OFF),
            ("power_from: micro-2017-amp", ""),
            ("speed: 1,", "speed: 1, power: 0W,"),
            ("speed: 2,", "speed: 2, power: 6W,"),
        ),
        65,
        "TC0104",
    ),
    "negative power": (swapped((OFF), ("speed: 2,", "speed: 2, power: -6,")), 65, "TC0104"),
    "speeds out of order": (
        swapped(OFF, ("speed: 1,", "speed: 1.71,"), ("speed: 2,", "speed: 1.44,")),
        65,
        "TC0104",
    ),
    "no cores of a type": (swapped(OFF, ("count: 2", "count: 0")), 65, "TC0104"),
    "below the fastest tail": (swapped(OFF, ("latency: 80ms", "latency: 40ms")), 6, "TC0501"),
    "below what the load allows": (swapped(("latency: 80ms", "latency: 46ms")), 6, "TC0501"),
    "unstable gains": (
        swapped((CONTROL, CONTROL.replace("}", ", intervals: 1, gains: [{ki: 40}]}"))),
        65,
        "TC0505",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_bad_spec_writes_nothing_and_says_where(name, compiled):
    spec, exit_code, code = REFUSED[name]
    ended, files = compiled(spec)
    assert (ended.code, files) == (exit_code, [])
    assert code in ended.err
    assert "= help: " in ended.err or "at least 1" in ended.err
    assert "service.yaml:" in ended.err


SOLVERS = {
    "not installed": (SolverAnswer(SolverOutcome.NOT_INSTALLED, message="no module"), 69, "TC0703"),
    "hangs": (SolverAnswer(SolverOutcome.TIMED_OUT, message="no answer within 60 s"), 7, "TC0502"),
    "crashes": (SolverAnswer(SolverOutcome.CRASHED, message="ended with signal 11"), 69, "TC0704"),
    "lies": (SolverAnswer(SolverOutcome.OPTIMAL, SolverPoint(np.zeros(1), -1.0)), 69, "TC0704"),
    "says it is infeasible": (SolverAnswer(SolverOutcome.INFEASIBLE), 69, "TC0704"),
}


@pytest.mark.parametrize("name", SOLVERS)
def test_a_solver_that_fails_writes_nothing_and_is_told(name, compiled, monkeypatch):
    answer, exit_code, code = SOLVERS[name]
    monkeypatch.setattr(Solver, "answer", lambda *_: answer)
    ended, files = compiled(swapped(OFF), "--solver", "scip")
    assert (ended.code, files) == (exit_code, [])
    assert code in ended.err
    assert "`scip`" in ended.err


OLD = ("{speed: 1, count: 5}", "{name: old, speed: 1, power: 9, count: 5}")


@pytest.mark.parametrize("latency", ["40ms", "46ms"], ids=["alone", "under load"])
def test_what_was_dropped_is_told_where_no_policy_is_found(latency, compiled):
    change = ("latency: 80ms", f"latency: {latency}")
    spec = swapped(OLD, change, OFF) if latency == "40ms" else swapped(OLD, change)
    ended, files = compiled(spec, "--output-format", "json")
    assert (ended.code, files) == (6, [])
    error, warning, alone, *lines = json.loads(ended.out)["findings"]
    assert (error["code"], warning["code"]) == ("TC0501", "TC0256")
    assert {line["code"] for line in lines} <= {"TC0507"}
    assert (error["severity"], warning["severity"]) == ("error", "warning")
    assert error["message"].endswith("; `old` is dropped")
    assert (alone["code"], alone["severity"]) == ("TC0559", "warning")
    assert alone["message"].startswith("requests of any age run on cores of one type, `fast`,")


PLACES = {
    "the latency": (swapped(OFF, ("latency: 80ms", "latency: 40ms")), (), "latency"),
    "the target": (swapped((CONTROL, f"{OFF[1]}\ntarget: 40ms")), (), "target"),
    "the rates": (swapped(("latency: 80ms", "latency: 46ms")), (), "rates"),
}


@pytest.mark.parametrize("name", PLACES)
def test_what_cannot_be_met_is_shown_in_the_spec(name, compiled):
    spec, words, key = PLACES[name]
    ended, _ = compiled(spec, *words, "--output-format", "json")
    place = json.loads(ended.out)["findings"][0]
    assert f"{key}: " in spec.splitlines()[place["line"] - 1]
    assert spec.splitlines()[place["line"] - 1][: place["column"] - 1].endswith(f"{key}: ")


def test_nothing_is_said_to_be_dropped_where_nothing_is(compiled):
    ended, _ = compiled(swapped(("latency: 80ms", "latency: 46ms")))
    assert "TC0501" in ended.err
    assert "dropped" not in ended.err


OWN_SPEEDS = (CONTROL, "control: off\nsearch: {method: dual}\nspeedup: {columns: [s1, s2]}")


@pytest.mark.parametrize(("words", "line"), [((), "search: "), (("--method", "convex"), "speedup")])
def test_a_method_that_does_not_fit_is_shown_where_it_is_chosen(words, line, tmp_path, tailc):
    spec = swapped(OWN_SPEEDS)
    case = write(tmp_path, spec)
    rows = [f"{10 + at % 90},1,{1.5 + at % 5 / 10}" for at in range(200)]
    case.design.write_text("demand_ms,s1,s2\n" + "\n".join(rows) + "\n")
    ended = tailc("compile", case.spec, *words, "--output-format", "json")
    (finding,) = json.loads(ended.out)["findings"]
    assert (ended.code, finding["code"]) == (65, "TC0503")
    assert spec.splitlines()[finding["line"] - 1].startswith(line)


@pytest.mark.parametrize(
    "words", [("--objective", "threads"), ("--max-evaluations", "3"), ("--method", "paper")]
)
def test_what_the_kind_does_not_have_is_a_wrong_command_line(words, compiled):
    ended, files = compiled(swapped(OFF), *words)
    assert (ended.code, files) == (64, [])


@pytest.mark.parametrize(
    ("method", "solver"), [("dual", "highs"), ("convex", "scip"), ("grid", "cp-sat")]
)
def test_a_solver_for_a_method_that_has_none_is_a_wrong_command_line(method, solver, compiled):
    ended, files = compiled(swapped(OFF), "--method", method, "--solver", solver)
    assert (ended.code, files) == (64, [])
    assert f"`--solver` cannot be used with `--method {method}`" in ended.err


def test_another_method_leaves_out_the_solver_and_the_step_of_the_spec(compiled):
    for search in ("method: mip, solver: scip", "method: grid, step: 1ms"):
        spec = swapped((CONTROL, f"control: off\nsearch: {{{search}}}"))
        ended, _ = compiled(spec, "--method", "dual")
        assert ended.code == 0
        assert "error" not in ended.err
        assert "by dual (dual-bound)" in ended.out


def test_few_to_many_has_no_solver_to_choose(tmp_path, tailc):
    from tests.tailc.toy import write_toy

    ended = tailc("compile", write_toy(tmp_path), "-o", tmp_path / "policy", "--solver", "scip")
    assert ended.code == 64
    assert "`--solver` does not apply to a policy of kind `few-to-many`" in ended.err


@pytest.mark.parametrize("objective", ["tail", "efficiency"])
def test_the_extremes_compile_from_the_same_spec(objective, compiled, tmp_path):
    ended, _ = compiled(swapped(), "--objective", objective)
    assert ended.code == 0
    policy = read_policy(tmp_path / "policy")
    assert policy.controller is None
    assert [climb.rung for climb in policy.ladders[0].rows[0].climbs] == [objective == "tail"]


def test_the_report_has_the_surface_plants_and_margins(compiled):
    ended, files = compiled(swapped(), "--output-format", "json")
    assert files == ["policy.json", "policy.tailc"]
    result = json.loads(ended.out)["result"]
    # 5 slow cores at 1 and 2 fast ones at 6.8.
    assert result["peak_power_ppm"] == 18_600_000
    assert 0 <= result["gap_before"] <= result["gap"]
    intervals = result["control"]["intervals"]
    assert [each["rate_mrps"] for each in intervals] == [13_334, 40_000, 66_667]
    for each in intervals:
        assert each["margins"]["max_sensitivity"] <= 1.2001
        assert each["plant"]["delay_epochs"] >= 1
        assert each["plant"]["gain_ms"] > 0
        assert 0 < each["output_ppm"] <= 1_000_000
    # At low load the tail moves by 1 - 1 / s_2 of the first threshold.
    age_us = result["policy"]["forms"][0]["rows"][0]["climbs"][1]["age_us"]
    assert intervals[0]["plant"]["gain_ms"] == pytest.approx(age_us / 1_000 / 2, rel=0.2)
    tails = result["control"]["surface"]["tails_us"]
    assert all(row == sorted(row) for row in tails)


def test_each_request_s_own_speeds_are_read_from_columns(tmp_path, tailc):
    columns = (CONTROL, "control: off\nsearch: {method: grid}\nspeedup: {columns: [s1, s2]}")
    case = write(tmp_path, swapped(columns))
    rows = [f"{10 + at % 90},1,{1.5 + at % 5 / 10}" for at in range(200)]
    case.design.write_text("demand_ms,s1,s2\n" + "\n".join(rows) + "\n")
    ended = tailc("compile", case.spec, "-o", tmp_path / "policy")
    assert ended.code == 0
    assert "least energy by grid (grid-exhausted)" in ended.out
    assert "speed-up" not in ended.err


def test_a_speed_above_its_number_is_no_odd_degree(tmp_path, tailc):
    fast = ("power_from: micro-2017-amp", "power_from: cubic"), ("speed: 2,", "speed: 4,")
    case = write(tmp_path, swapped(OFF, *fast))
    compiled = tailc("compile", case.spec, "-o", tmp_path / "policy")
    words = ("--requests", "400", "--replicates", "49", "--baselines", "ee", "--no-progress")
    verified = tailc("verify", tmp_path / "policy", "--trace", case.held_out, *words)
    checked = tailc("check", case.spec, "--with-trace")
    for ended in (compiled, verified, checked):
        assert "TC025" not in ended.err
        assert ended.out


def test_static_power_is_told_apart_and_charged_to_no_request(compiled):
    by_table, _ = compiled(swapped(OFF, ("power_from: micro-2017-amp", "power_from: cubic")))
    # 5 slow cores at 1 and 2 fast ones at 8; a quarter of that is static.
    assert "peak power 21 slow cores, and 5.25 slow cores static" in by_table.out


def test_one_type_of_core_has_no_thresholds_and_no_controller(compiled, tmp_path):
    ended, _ = compiled(swapped((", {speed: 2, count: 2}", ""), ("80ms", "120ms")))
    assert ended.code == 0
    policy = read_policy(tmp_path / "policy")
    assert len(policy.ladders[0].rungs) == 1
    assert policy.controller is None
