"""A table compiled for the highest rate, from the spec to the verdict at that rate."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from tailc.artifact.files import read_policy
from tailc.experiment.sizes import VALIDATION
from tailc.models.arrivals import Poisson
from tailc.models.workload import workload
from tailc.report.compile_report import compiled_result, compiled_text
from tailc.report.queue import queue_text
from tailc.report.solutions.ladder import sweep_text
from tailc.tuning.operating_point import OperatingPoint
from tailc.tuning.tuning_problem import ladder_subject
from tailc.tuning.tuning_sample import tuning_sample
from tests.tailc.pipeline.additions import tuned_of
from tests.tailc.pipeline.compiled_twice import assert_one_thread_writes_the_same, compiled_to
from tests.tailc.policies.slow_to_fast.case import swapped
from tests.tailc.policies.slow_to_fast.case import write as write_cores
from tests.tailc.schemas import validate_compiled
from tests.tailc.tuning.compile_case import RATES, queued
from tests.tailc.tuning.short import FEW, short_searches

BUDGET = 6_000_000
BY_RATE = "search: {method: simulation, objective: rate, requests: 3000000}\n"
RANGE = "rates: [30/s, 50/s, 115/s]"


@pytest.fixture(scope="module", autouse=True)
def _short():
    """With fewer requests rates are too high: each replay begins with nobody in the system."""
    with short_searches(judged=VALIDATION.requests):
        yield


def for_rate(folder, rates=RANGE, latency="100ms", **search):
    """The kit's spec with the objective `rate`."""
    case = queued(folder, objective="rate", **{"requests": BUDGET, **search})
    spec = case.spec.read_text().replace(RATES, rates).replace("150ms", latency)
    case.spec.write_text(spec)
    return case


@pytest.fixture(scope="module")
def tuned(tmp_path_factory):
    """The kit's spec with two targets, where its policy is written, and what was found."""
    folder = tmp_path_factory.mktemp("rate")
    case = for_rate(folder)
    spec = case.spec.read_text()
    case.spec.write_text(spec.replace("target_parallelism: 6", "target_parallelism: [12, 6]"))
    return case, folder / "tuned", compiled_to(folder / "tuned", case.spec)


def test_the_tuned_table_has_a_higher_rate(tuned):
    _, _, compiled = tuned
    told = compiled_result(compiled)["queue"]
    assert isinstance(told, dict)
    highest = told["highest"]
    assert told["is_better"]
    assert highest["change_low_ppm"] > 0
    assert 30_000 < highest["formula"]["rate_mrps"] < highest["tuned"]["low_mrps"] < 115_000
    # On other random numbers the tail is what is to be kept, at some rate of the interval.
    at_highest = told["rates"][-1]
    assert at_highest["rate_mrps"] == highest["tuned"]["rate_mrps"]
    assert at_highest["tuned_us"] == pytest.approx(100_000, rel=0.05)


def test_at_the_highest_rate_the_tail_is_what_is_to_be_kept(tuned):
    """In the mean of many more replays than judge, whose own mean is 1 % off by chance."""
    _, _, compiled = tuned
    (table,) = compiled.policy.ladders
    told = compiled_result(compiled)["queue"]
    assert isinstance(told, dict)
    rate_mrps = told["highest"]["tuned"]["rate_mrps"]
    scenes = [OperatingPoint(workload(compiled.design, table), Poisson(rate_mrps))]
    how = {"requests": 20_000, "repeats": 40, "seed": 900, "subject_of": ladder_subject}
    with ThreadPoolExecutor(2) as workers:
        trials = tuning_sample(scenes, 950_000, 4, workers=workers, **how)
        assert trials.tails_us([table]).mean() == pytest.approx(100_000, rel=0.02)


def test_the_target_is_that_of_the_highest_rate(tuned):
    """More threads are too many at high rates."""
    _, _, compiled = tuned
    first, second = (candidate.rate_mrps for candidate in compiled.sweep.candidates)
    assert second > first
    assert compiled.sweep.best == 1


def test_a_program_is_told_the_highest_rate_of_each_target(tuned):
    _, _, compiled = tuned
    told = compiled_result(compiled)
    validate_compiled(told)
    assert isinstance(told["sweep"], list)
    rates_mrps = [one["highest_mrps"] for one in told["sweep"]]
    assert [f"{rate / 1000:g}/s" in sweep_text(compiled) for rate in rates_mrps] == [True, True]
    assert rates_mrps[1] == max(rates_mrps)


def test_the_sweep_and_the_judgement_each_say_what_they_were_replayed_on(tuned):
    _, _, compiled = tuned
    head = sweep_text(compiled).splitlines()[0]
    assert head == "sweep, 10 replays of 20,000 requests on all 400 records of the design sample"
    head = queue_text(tuned_of(compiled), compiled.policy.evidence).splitlines()[0]
    assert "10 replays of 20,000 requests on 400 records that it was tuned on" in head


def test_the_policy_is_for_rates_up_to_what_its_table_keeps(tuned, tailc):
    case, policy, compiled = tuned
    found = tuned_of(compiled).raised.tuned
    assert compiled.policy.rates_mrps == (30_000, 50_000, found.promised_mrps)
    words = ("--trace", case.held_out, "--output-format", "json", "--baselines", "none", *FEW)
    points = json.loads(tailc("verify", policy, *words).out)["result"]["points"]
    tails_us = [point["policy"]["verdicts"][0]["estimate_us"] for point in points]
    assert tails_us[0] < tails_us[1] < tails_us[2]
    assert tails_us[2] == pytest.approx(100_000, rel=0.05)


def test_the_artifact_and_the_text_tell_of_the_rates(tuned, tailc):
    _, policy, compiled = tuned
    evidence = read_policy(str(policy)).evidence
    assert (evidence.objective, evidence.proof) == ("rate", "replayed")
    settings = dict(evidence.settings)
    assert settings["limit_us"] == 100_000
    assert settings["highest_formula_mrps"] < settings["highest_tuned_low_mrps"]
    assert settings["rate_2_mrps"] == settings["highest_tuned_mrps"]
    text = compiled_text(compiled, [])
    judging = "10 replays of 20,000 requests on 400 records"
    assert f"highest rate with queues for p95 <= 100 ms, {judging}" in text
    assert "highest rate by simulation" in tailc("inspect", policy).out


@pytest.mark.fuzz
def test_threads_change_no_byte(tuned):
    case, policy, _ = tuned
    assert_one_thread_writes_the_same(policy, case.spec)


@pytest.mark.parametrize(
    ("rates", "latency", "search", "said"),
    [
        ("", "100ms", {}, "no `rates` are given"),
        (
            "rates: [30/s]",
            "100ms",
            {},
            "`rates` has one rate, but the objective `rate` searches between",
        ),
        (RANGE, "100ms", {"weights": [1, 1, 1]}, "cannot be combined with the objective `"),
        (RANGE, "100ms", {"robust": {"demand": "10%"}}, "set `objective: tail`, or remove it"),
        (RANGE, "100ms", {"method": "grid"}, "applies only to the method `simulation`"),
        (RANGE, "100ms}, {percentile: 99%, latency: 300ms", {}, "`slo` has 2 objectives"),
        (RANGE, "100ms", {"requests": 1_000_000}, "set `search.requests` to 6000000 or more"),
        ("rates: [1/s, 2/s]", "100ms", {}, "up to 2/s, the highest of `rates`"),
    ],
)
def test_what_has_no_highest_rate_is_refused(tmp_path, tailc, rates, latency, search, said):
    case = for_rate(tmp_path, rates, latency, **search)
    done = tailc("compile", case.spec, "-o", tmp_path / "p")
    assert done.code == 65
    assert said in " ".join(done.err.split())
    assert f"{case.spec}:" in done.err
    assert "help:" in done.err


def test_robustness_by_an_option_is_refused_too(tmp_path, tailc):
    done = tailc("compile", for_rate(tmp_path).spec, "--robust", "-o", tmp_path / "p")
    assert done.code == 65
    assert "set `objective: tail`" in done.err


def test_cores_of_two_types_have_a_highest_rate_too(tmp_path, tailc):
    spec = swapped(
        ("control: {epoch: 50 requests, window: 200 requests}\n", ""),
        ("rates: [20/s, 80/s]", f"{BY_RATE}rates: [20/s, 260/s]"),
        ("latency: 80ms", "latency: 70ms"),
    )
    case = write_cores(tmp_path, spec)
    with short_searches():
        done = tailc("compile", case.spec, "-o", tmp_path / "p")
    assert done.code == 0, done.err
    assert "highest rate with queues for p95 <= 70 ms" in done.out
    most_mrps = read_policy(str(tmp_path / "p")).rates_mrps[-1]
    assert 20_000 < most_mrps < 260_000
