"""A table compiled for queues, from the spec to the verdict on held-out requests."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tailc.artifact.files import read_policy, write_policy
from tailc.errors import Code
from tailc.forms.ladder.table import Rule
from tailc.percentiles import PPM
from tailc.pipeline.compile import compile_policy
from tailc.report.compile_report import compiled_result
from tailc.report.queue import queue_text
from tests.tailc.pipeline.additions import tuned_of
from tests.tailc.pipeline.compiled_twice import assert_one_thread_writes_the_same, compiled_to
from tests.tailc.policies.few_to_many.case import write
from tests.tailc.texts import swapped
from tests.tailc.tuning.compile_case import BUDGET, RATES, queued
from tests.tailc.tuning.short import BRIEF, FEW, short_searches


@pytest.fixture(scope="module", autouse=True)
def _short():
    with short_searches():
        yield


@pytest.fixture(scope="module")
def tuned(tmp_path_factory):
    """The kit's spec, and where its policy is written."""
    folder = tmp_path_factory.mktemp("tuned")
    case = queued(folder, weights=[1, 3])
    return case, folder / "tuned", compiled_to(folder / "tuned", case.spec)


def test_a_tuned_table_is_better_on_requests_that_no_compile_saw(tuned, tmp_path, tailc):
    case, policy, _ = tuned
    formula = tmp_path / "formula"
    spec = queued(tmp_path).spec
    assert tailc("compile", spec, "--method", "grid", "-o", formula).code == 0
    ours, theirs = (verified(tailc, one, case.held_out) for one in (policy, formula))
    assert ours[1] < 0.9 * theirs[1]
    assert ours[0] < 1.02 * theirs[0]


def verified(tailc, policy, trace):
    """The tail at each rate, on held-out requests."""
    words = ("--trace", trace, "--output-format", "json", "--baselines", "none", *FEW)
    done = tailc("verify", policy, *words)
    points = json.loads(done.out)["result"]["points"]
    return [point["policy"]["verdicts"][0]["estimate_us"] for point in points]


def test_the_artifact_says_what_it_was_tuned_for(tuned):
    _, policy, compiled = tuned
    evidence = read_policy(str(policy)).evidence
    said = (evidence.objective, evidence.method, evidence.proof, evidence.rows)
    assert said == ("tail", "simulation", "replayed", ())
    settings = dict(evidence.settings)
    assert [settings[f"rate_{n}_mrps"] for n in (1, 2)] == [30_000, 90_000]
    assert [settings[f"rate_{n}_weight"] for n in (1, 2)] == [1, 3]
    assert settings["rate_2_tuned_us"] < settings["rate_2_formula_us"]
    assert settings["requests"] == tuned_of(compiled).requests <= BUDGET


def test_a_compile_tells_how_the_table_was_judged(tuned):
    _, _, compiled = tuned
    told: Any = compiled_result(compiled)["queue"]
    assert told["is_better"]
    assert (told["judged_on"], told["is_held_out"]) == (400, False)
    assert Code.JUDGED_ON_OWN in {finding.code for finding in compiled.findings}
    assert [rate["rate_mrps"] for rate in told["rates"]] == [30_000, 90_000]
    assert told["rates"][1]["change_high_ppm"] < 0
    assert all(rate["clairvoyant_us"] < rate["tuned_us"] for rate in told["rates"])
    lines = queue_text(tuned_of(compiled), compiled.policy.evidence).splitlines()
    assert lines[0].endswith("that it was tuned on: tuned table used")
    assert [line.split()[0] for line in lines[1:4]] == ["rate", "30/s", "90/s"]


def test_a_table_makes_use_of_what_the_server_may_do_besides(tmp_path, tailc):
    optional_rules = ["start-below", "give-up", "may-descend"]
    case = queued(tmp_path, optional_rules=optional_rules, requests=BUDGET)
    case.spec.write_text(case.spec.read_text().replace(RATES, "rates: [90/s]"))
    compiled = compile_policy(str(case.spec), threads=2)
    (gain,) = tuned_of(compiled).validated.gains
    assert gain.high_ppm < 0
    write_policy(compiled.policy, tmp_path / "freer")
    (ladder,) = read_policy(str(tmp_path / "freer")).ladders
    assert {Rule.START_BELOW, Rule.GIVE_UP} < set(ladder.rules)
    assert Rule.NEVER_DESCEND not in ladder.rules
    told = ladder.sharing
    assert told is not None
    assert told.start_below_ppm is not None
    assert told.give_up_us is not None
    assert told.start_below_ppm % PPM == 0
    # it is to be found near the tail
    assert 0.3 < told.give_up_us / gain.tuned_us < 3
    words = ("--trace", case.held_out, "--output-format", "json", *BRIEF)
    done = tailc("verify", tmp_path / "freer", *words)
    baselines = json.loads(done.out)["result"]["points"][0]["baselines"]
    assert "SEQ" in [run["subject"] for run in baselines]


def test_threads_change_no_byte(tuned):
    case, policy, _ = tuned
    assert_one_thread_writes_the_same(policy, case.spec)


def test_the_formula_stays_where_nothing_is_better(tmp_path, tailc):
    """At a request a second each is alone, on all threads from its start."""
    case = queued(tmp_path)
    case.spec.write_text(case.spec.read_text().replace(RATES, "rates: [1/s]"))
    done = tailc("compile", case.spec, "-o", tmp_path / "p")
    assert done.code == 0
    assert "TC0567" in done.err
    assert "not used" in done.out
    evidence = read_policy(str(tmp_path / "p")).evidence
    assert (evidence.objective, evidence.proof) == ("tail", "grid-exhausted")


def test_a_table_for_bursts_says_so_and_is_another(tuned, tmp_path):
    case = queued(tmp_path, weights=[1, 3], bursts={"idc": 8, "spell": "2s"})
    compiled = compile_policy(str(case.spec), threads=2)
    settings = dict(compiled.policy.evidence.settings)
    told = [settings[f"bursts_{name}"] for name in ("idc_ppm", "spell_us", "busy_ppm")]
    assert told == [8_000_000, 2_000_000, 200_000]
    for_poisson = tuned[2]
    assert compiled.policy.forms != for_poisson.policy.forms
    pairs = zip(tails_of(compiled), tails_of(for_poisson), strict=True)
    assert all(in_bursts > poisson for in_bursts, poisson in pairs)
    text = queue_text(tuned_of(compiled), compiled.policy.evidence)
    assert "under bursts (IDC 8, spells of 2 s" in text


def tails_of(compiled):
    return [gain.tuned_us for gain in tuned_of(compiled).validated.gains]


@pytest.mark.parametrize(
    ("search", "rates", "said"),
    [
        ({"weights": [1]}, RATES, "has 1 values, but `rates` has 2"),
        ({}, "", "no `rates` are given"),
        ({"method": "grid", "weights": [1, 1]}, RATES, "applies only to the method `simulation`"),
        (
            {"method": "grid", "optional_rules": ["give-up"]},
            RATES,
            "applies only to the method `simulation`",
        ),
        ({"optional_rules": ["give-up", "give-up"]}, RATES, "names a rule twice"),
        (
            {"optional_rules": ["start-below"], "admit_on_departure": False},
            RATES,
            "a rule that lets requests wait",
        ),
        ({"optional_rules": ["give-up"]}, RATES, "without `start-below`"),
        ({"requests": 5}, RATES, "requests"),
        ({"requests": 1_000_000}, RATES, "set `search.requests` to"),
        ({}, "rates: [30/s, 125/s]", "[30/s, 125/s] | ^^^^^"),
        (
            {"requests": 10_000_000, "method": "grid"},
            RATES,
            ("applies only to the method `simulation`"),
        ),
        ({"bursts": {"idc": 0.5, "spell": "2s"}}, RATES, "must be from 1 (Poisson)"),
        ({"bursts": {"idc": 900, "spell": "1s"}}, RATES, "is out of reach at 30/s"),
        (
            {"method": "grid", "bursts": {"idc": 8, "spell": "2s"}},
            RATES,
            ("` applies only to the method `"),
        ),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path, refusal, search, rates, said):
    case = queued(tmp_path, **search)
    case.spec.write_text(swapped(case.spec.read_text(), (RATES, rates)))
    assert said in refusal(case.spec)


def test_one_degree_is_nothing_to_tune(tmp_path, tailc):
    case = queued(tmp_path)
    case.spec.write_text(case.spec.read_text().replace("quantum: 5ms", "max_degree: 1"))
    done = tailc("compile", case.spec, "-o", tmp_path / "p")
    assert done.code != 0
    assert "but no degree makes" in " ".join(done.err.split())


def test_an_override_asks_for_rates_too(tmp_path, refusal):
    case = write(tmp_path)
    case.spec.write_text(case.spec.read_text().replace("rates: [60/s]", ""))
    assert "add `rates" in refusal(case.spec, "--method", "simulation")
