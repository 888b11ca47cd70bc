"""A table compiled for the worst case, from the spec to what its artifact tells."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from tailc.artifact.files import read_policy
from tailc.errors import Code
from tailc.pipeline.compile import compile_policy
from tailc.report.compile_report import compiled_result
from tailc.report.policy import policy_text
from tailc.report.robust import robust_text
from tailc.tuning.robust import radius, search
from tests.tailc.pipeline.additions import robust_of
from tests.tailc.pipeline.compiled_twice import assert_one_thread_writes_the_same, compiled_to
from tests.tailc.policies.few_to_many.case import write
from tests.tailc.policies.rubik.case import write as rubik
from tests.tailc.schemas import validate_compiled
from tests.tailc.tuning.short import short_searches

BUDGET = 6_000_000
ROBUST = {"resamples": 1}


@pytest.fixture(scope="module", autouse=True)
def _short():
    """What radius a table has in the requests of a user's is for the tests of radii."""
    with short_searches(), pytest.MonkeyPatch.context() as patched:
        patched.setattr(radius, "_OPTIONS", replace(radius._OPTIONS, requests_per_replay=2_000))
        yield


def doubted(folder, rates: str = "rates: [90/s]", robust: Any = ROBUST, **search):
    """The kit's spec with the method `simulation`, and doubts."""
    case = write(folder)
    told = {"step": "20ms", "method": "simulation", "requests": BUDGET, **search}
    if robust is not None:
        told["robust"] = robust
    spec = case.spec.read_text().replace(
        "search: {method: grid, step: 20ms}", f"search: {json.dumps(told)}"
    )
    case.spec.write_text(spec.replace("rates: [60/s]", rates))
    return case


@pytest.fixture(scope="module")
def hardened(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hardened")
    case = doubted(folder)
    return case, folder / "hardened", compiled_to(folder / "hardened", case.spec)


def test_the_robust_table_is_no_worse_in_its_worst_case_than_the_others_in_theirs(hardened):
    _, _, compiled = hardened
    result = compiled_result(compiled)
    validate_compiled(result)
    told: Any = result["robust"]
    (rate,) = told["rates"]
    worst = [rate[table]["worst"]["us"] for table in ("robust", "plain", "formula")]
    assert told["is_better"]
    assert worst[0] < worst[2]
    assert rate["gain"]["low_ppm"] <= 0
    for table in ("formula", "plain", "robust"):
        assert rate[table]["nominal"]["us"] <= rate[table]["worst"]["us"]
    assert told["cases"] == [
        "as measured",
        "demand +10 %",
        "demand -10 %",
        "tail +20 % above p90",
        "speed-ups -10 %",
        "resample 1",
    ]
    assert told["requests"] <= BUDGET


def test_the_artifact_carries_the_radius_and_the_price(hardened):
    _, policy, compiled = hardened
    found = read_policy(str(policy))
    settings = dict(found.evidence.settings)
    result = compiled_result(compiled)
    validate_compiled(result)
    told: Any = result["robust"]
    (rate,) = told["rates"]
    assert settings["robust_radius_demand_ppm"] == told["radius"]["demand"]["ppm"]
    assert settings["robust_rate_1_price_ppm"] == rate["price"]["ppm"]
    assert settings["robust_rate_1_tuned_worst_us"] == rate["robust"]["worst"]["us"]
    assert settings["rate_1_tuned_us"] == rate["robust"]["nominal"]["us"]
    # Of the same replays as the tails beside it, which are others than those of the plain table.
    hard, plain = robust_of(compiled).hardened, robust_of(compiled).plain
    assert hard is not None
    assert plain is not None
    (reached_us,) = hard.clairvoyant_us
    assert (
        settings["rate_1_clairvoyant_us"] == reached_us != plain.validated.gains[0].clairvoyant_us
    )
    assert reached_us < settings["rate_1_tuned_us"]
    (line,) = (one for one in policy_text(found).splitlines() if one.startswith("tolerates"))
    assert "demand +" in line
    assert "speed-ups -" in line
    shown = robust_text(robust_of(compiled), compiled.policy.evidence)
    assert shown is not None
    judging = "10 other replays of 5,000 requests on 400 records that it was tuned on"
    assert shown.startswith(f"worst of 6 cases, {judging}: ")


@pytest.mark.fuzz
def test_threads_change_no_byte(hardened):
    case, policy, _ = hardened
    assert_one_thread_writes_the_same(policy, case.spec)


def test_a_formula_s_table_has_a_radius_too(tmp_path, tailc):
    """And no other table: `--robust` tunes nothing that is not tuned without it."""
    case = write(tmp_path)
    for name, words in (("plain", ()), ("asked", ("--robust",))):
        assert tailc("compile", case.spec, *words, "-o", tmp_path / name).code == 0
    plain, asked = (read_policy(str(tmp_path / name)) for name in ("plain", "asked"))
    assert asked.forms == plain.forms
    settings = dict(asked.evidence.settings)
    assert settings["robust_holds"] == 1
    assert settings["robust_radius_demand_ppm"] > 0
    shown = tailc("inspect", tmp_path / "asked").out
    assert "tolerates  demand +" in shown
    assert "tolerates" not in tailc("inspect", tmp_path / "plain").out


def test_an_objective_that_is_missed_as_measured_stands_nothing(tmp_path, tailc):
    case = write(tmp_path)
    text = case.spec.read_text().replace("rates: [60/s]", "rates: [120/s]")
    case.spec.write_text(text)
    done = tailc("compile", case.spec, "--robust", "-o", tmp_path / "p")
    assert done.code == 0
    assert "TC0572" in done.err
    assert "tolerates  no error" in done.out


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ({"robust": {"demand": "120%"}}, "`search.robust.demand` must be from 0 % to below 100 %"),
        ({"robust": {"resamples": 50}}, "resamples"),
        (
            {"robust": {"mixture": "30%"}},
            ("needs the day of each request, but `days` names no column"),
        ),
        ({"rates": "", "method": "grid", "requests": None}, "but `rates` is missing"),
        (
            {"method": "grid", "requests": None, "robust": {"days": "day"}},
            "that the method `simulation` tunes",
        ),
        ({"robust": {"days": "day"}}, "there is no column `day`"),
        ({"requests": 5_000_000}, "a plain one, simulates"),
        ({"rates": "rates: [115/s]"}, "with demand +10 %"),
        (
            {"robust": {"demand": "0%", "tail": "0%", "speedup": "0%", "resamples": 0}},
            "so there is",
        ),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path, refusal, spec, said):
    case = doubted(tmp_path, **{name: value for name, value in spec.items() if value is not None})
    if "requests" in spec and spec["requests"] is None:
        text = case.spec.read_text().replace(f'"requests": {BUDGET}, ', "")
        case.spec.write_text(text)
    assert said in refusal(case.spec)


def test_a_kind_without_doubts_has_no_such_option(tmp_path, tailc):
    case = rubik(tmp_path)
    done = tailc("compile", case.spec, "--robust", "-o", tmp_path / "p")
    assert done.code == 64
    assert "`--robust` does not apply to a policy of kind `rubik`" in done.err


def test_a_plain_table_that_is_not_taken_is_nothing_to_gain_over(hardened, monkeypatch):
    """Without a search for the worst case the formula's would stay."""
    case, _, before = hardened
    tuned = robust_of(before).plain
    assert tuned is not None
    refused = replace(tuned, validated=replace(tuned.validated, is_better=False))
    monkeypatch.setattr(search, "tune_table", lambda *_asked: refused)
    compiled = compile_policy(str(case.spec))
    (stands,) = robust_of(compiled).hardened.compared.rates
    assert stands.plain == stands.formula
    assert robust_of(compiled).hardened.compared.is_better
    assert not [one for one in compiled.findings if one.code is Code.NO_BETTER_TABLE]
