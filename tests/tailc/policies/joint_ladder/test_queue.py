"""Joint ladders that are tuned with queues, from the spec to the verdict."""

from __future__ import annotations

import json

import pytest

from tailc.artifact.files import read_policy
from tailc.forms.ladder.units import shared_power
from tailc.pipeline.compile import compile_policy
from tailc.report.compile_report import compiled_result, compiled_text
from tests.tailc.pipeline.additions import tuned_of
from tests.tailc.pipeline.compiled_twice import assert_one_thread_writes_the_same, compiled_to
from tests.tailc.policies.joint_ladder.case import SPEC, write
from tests.tailc.policies.joint_ladder.queue_case import QUEUED
from tests.tailc.schemas import validate_compiled
from tests.tailc.tuning.short import FEW, short_searches

BUDGET = 3_000_000


@pytest.fixture(scope="module", autouse=True)
def _short():
    with short_searches():
        yield


def searched(folder, text: str = QUEUED, **search):
    """The spec with that much of `search`."""
    told = {"method": "simulation", "requests": BUDGET, **search}
    return write(folder, f"{text}search: {json.dumps(told)}\n")


@pytest.fixture(scope="module")
def tuned(tmp_path_factory):
    """The policy of least tail, where it is written, and what it was compiled from."""
    folder = tmp_path_factory.mktemp("queue")
    case = searched(folder)
    return case, folder / "tuned", compiled_to(folder / "tuned", case.spec)


def verified(tailc, policy, trace):
    """The tail on requests that no compile saw [us]."""
    words = ("--trace", trace, "--output-format", "json", "--baselines", "none", *FEW)
    (point,) = json.loads(tailc("verify", policy, *words).out)["result"]["points"]
    return point["policy"]["verdicts"][0]["estimate_us"]


def test_the_tail_is_shorter_on_requests_that_no_compile_saw(tuned, tailc, tmp_path):
    case, policy, _ = tuned
    formula = tmp_path / "formula"
    plain = write(tmp_path, QUEUED)
    words = ("--method", "dual", "--allow-misses")
    assert tailc("compile", plain.spec, *words, "-o", formula).code == 0
    ours, theirs = (verified(tailc, one, case.held_out) for one in (policy, formula))
    assert ours < 0.97 * theirs


def test_the_table_keeps_the_peak_and_the_rungs_of_the_formula_s(tuned):
    compiled = tuned[2]
    formula, table = (compiled.sweep.chosen.policy.ladders[0], compiled.policy.ladders[0])
    assert table.rungs == formula.rungs
    assert shared_power(table) == 27.2
    assert table.rows != formula.rows


def test_why_tells_of_the_power_that_requests_share(tuned, tailc):
    case, policy, _ = tuned
    words = ("--in-system", 3, "--trace", case.held_out, "--requests", 1_000)
    text = tailc("why", policy, *words).out
    assert "power x time" in text
    assert "power -10 %" in text
    assert "threads x time" not in text


def test_the_artifact_says_what_it_was_tuned_for(tuned):
    _, policy, compiled = tuned
    evidence = read_policy(str(policy)).evidence
    assert (evidence.objective, evidence.proof, evidence.rows) == ("tail", "replayed", ())
    settings = dict(evidence.settings)
    result = compiled_result(compiled)
    validate_compiled(result)
    told = result["queue"]
    assert isinstance(told, dict)
    assert told["rates"][0]["tuned_us"] == settings["rate_1_tuned_us"]
    assert told["rates"][0]["formula_us"] == settings["rate_1_formula_us"]
    assert settings["rate_1_formula_us"] > settings["rate_1_tuned_us"]
    assert told["rates"][0]["clairvoyant_us"] < told["rates"][0]["tuned_us"]
    assert told["rates"][0]["tuned_energy"] == settings["rate_1_tuned_energy"] > 0


@pytest.mark.fuzz
def test_threads_change_no_byte(tuned):
    case, policy, _ = tuned
    assert_one_thread_writes_the_same(policy, case.spec)


def test_least_energy_keeps_the_objective_and_tells_watts(tmp_path):
    watts = QUEUED.replace("power_from: micro-2017-dvfs\n  ", "").replace("27.2", "27.2W")
    for level, power in (("slow", "1.7W"), ("fast", "6.8W")):
        watts = watts.replace(f"{{name: {level},", f"{{name: {level}, power: {power},")
    case = searched(tmp_path, watts.replace("110ms", "60ms"), objective="energy")
    compiled = compile_policy(str(case.spec), threads=2)
    (gain,) = tuned_of(compiled).validated.gains
    assert tuned_of(compiled).validated.is_better
    assert gain.tuned_us <= 60_000
    assert " mJ" in compiled_text(compiled, [])


def test_optional_rules_that_do_not_pay_are_left_out_with_a_warning(tmp_path):
    compiled = compile_policy(
        str(searched(tmp_path, requests=2 * BUDGET, optional_rules=["start-below", "give-up"]).spec)
    )
    assert tuned_of(compiled).validated.is_better
    pay = tuned_of(compiled).uses_optional_rules
    assert (compiled.policy.ladders[0].sharing is not None) == pay
    told = [finding for finding in compiled.findings if "search.optional_rules" in finding.message]
    assert len(told) == (not pay)


@pytest.mark.parametrize(
    ("search", "said"),
    [
        ({"objective": "energy", "optional_rules": ["may-descend"]}, "the objective is `energy`"),
        (
            {"optional_rules": ["give-up"]},
            ("has `give-up` without `start-below`, so late requests would block all others"),
        ),
        ({"optional_rules": ["may-descend", "may-descend"]}, "names a rule twice"),
    ],
)
def test_optional_rules_that_do_not_fit_are_refused(tmp_path, refusal, search, said):
    assert said in refusal(searched(tmp_path, **search).spec)


def test_a_worst_case_is_not_told_of_batch_work(tmp_path, refusal):
    said = refusal(searched(tmp_path, LANES, objective="batch", robust={}).spec)
    assert "but the objective is `batch`" in said


def test_starts_by_what_is_in_use_count_one_supply(tmp_path, refusal):
    said = refusal(searched(tmp_path, TYPES, optional_rules=["start-below"]).spec)
    assert "needs one resource that all requests share" in said


CORES = SPEC[SPEC.index("cores:") : SPEC.index("server:")]
TYPES = QUEUED.replace(
    CORES,
    "cores:\n  types:\n"
    "  - {name: slow, speed: 1, power: 1, count: 9}\n  - {speed: 2, power: 4, count: 3}\n",
).replace("peak_power: 27.2, ", "")
LANES = (
    QUEUED.replace(
        CORES, "cores: {types: [{speed: 1, power: 1, count: 9}]}\nlanes: {interference: 30%}\n"
    )
    .replace("peak_power: 27.2, ", "")
    .replace("slow", "c1")
    .replace("300/s", "150/s")
)


def threads_of(ladder):
    """Of each rung, on whichever cores."""
    return [sum(rung.cost_ppm[1:]) for rung in ladder.rungs]


def test_cores_of_types_are_tuned_and_no_climb_takes_a_thread_away(tmp_path, tailc):
    case = searched(tmp_path, TYPES)
    policy = tmp_path / "typed"
    compiled = compiled_to(policy, case.spec)
    (gain,) = tuned_of(compiled).validated.gains
    assert tuned_of(compiled).validated.is_better
    assert gain.high_ppm < -30_000
    assert gain.clairvoyant_us is None
    table = compiled.policy.ladders[0]
    threads = threads_of(table)
    assert threads != sorted(threads)
    taken = [[threads[climb.rung] for climb in row.climbs] for row in table.rows]
    assert all(each == sorted(each) for each in taken)
    assert verified(tailc, policy, case.held_out) < 1.1 * gain.tuned_us


@pytest.mark.fuzz
def test_threads_change_no_byte_on_cores_of_types(tmp_path):
    case = searched(tmp_path, TYPES)
    compiled_to(tmp_path / "typed", case.spec)
    assert_one_thread_writes_the_same(tmp_path / "typed", case.spec)


def test_lanes_give_up_less_batch_work_within_the_objective(tmp_path):
    case = searched(tmp_path, LANES, objective="batch")
    compiled = compile_policy(str(case.spec), threads=2)
    (gain,) = tuned_of(compiled).validated.gains
    (left,) = tuned_of(compiled).batch
    assert tuned_of(compiled).validated.is_better
    assert gain.tuned_us <= 110_000
    assert left.formula_ppm < left.tuned_ppm <= left.most_ppm
    # Of 30 ms of work at 150/s, shared on one thread, each of nine cores loses 3/7 of a half.
    assert left.most_ppm == pytest.approx(1e6 * (1 - 0.5 * 3 / 7), rel=0.01)
    text = compiled_text(compiled, [])
    assert "tuned leaves" in text
    assert dict(compiled.policy.evidence.settings)["rate_1_batch_ppm"] == left.tuned_ppm
    validate_compiled(compiled_result(compiled))


@pytest.mark.parametrize(
    ("change", "search", "said"),
    [
        (("rates: [300/s]", ""), {}, "no `rates` are given at which requests could queue"),
        (("", ""), {"method": "dual"}, "`search.requests` applies only to the method `simulation`"),
        (
            ("", ""),
            {"method": "dual", "objective": "rate"},
            ("applies only to the method `simulation`"),
        ),
        (("cores:", "target: 90ms\ncores:"), {}, "applies only to the objective `energy`"),
        (("rates: [300/s]", "rates: [600/s]"), {}, "each with 1 thread at slow"),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path, refusal, change, search, said):
    assert said in refusal(searched(tmp_path, QUEUED.replace(*change), **search).spec)


def test_a_verdict_tells_the_batch_work_that_each_leaves(tmp_path, tailc):
    case = write(tmp_path, f"{LANES}search: {{method: dual, objective: batch}}\n")
    policy = tmp_path / "lanes"
    assert tailc("compile", case.spec, "-o", policy).code == 0
    words = ("verify", policy, "--trace", case.held_out, "--baselines", "seq", *FEW)
    (point,) = json.loads(tailc(*words, "--output-format", "json").out)["result"]["points"]
    ours, one_thread = (run["batch"] for run in (point["policy"], *point["baselines"]))
    # On one thread, shared, each of 30 ms of work at 150/s is given up 3/7 of a half of nine cores.
    assert one_thread["batch_ppm"] == pytest.approx(1e6 * (1 - 0.5 * 3 / 7), rel=0.03)
    assert ours["low_ppm"] <= ours["batch_ppm"] <= ours["high_ppm"]
    told = tailc(*words, "--requests", 400).out
    assert " batch  95 % interval" in told
    assert "batch: batch work per core, relative to a core without requests" in told


def test_lanes_have_batch_work_to_lose_and_are_tuned_for_nothing_else(tmp_path, refusal):
    said = refusal(searched(tmp_path, LANES).spec)
    assert "set `objective: batch`, or remove `lanes`" in said


def test_an_override_asks_for_rates_too(tmp_path, refusal):
    spec = write(tmp_path, SPEC.replace("rates: [60/s]\n", "")).spec
    said = refusal(spec, "--method", "simulation")
    assert "`search.method` is `simulation`, but no `rates` are given" in said
