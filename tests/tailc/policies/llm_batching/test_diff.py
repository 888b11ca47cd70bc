"""Two policies of token budgets, on the same requests at the same times."""

from __future__ import annotations

import json
from dataclasses import replace

import jsonschema
import pytest

from tailc.artifact.files import read_policy, write_policy
from tailc.experiment.token_replays import TokenExperiment, goodput, tail_us
from tailc.forms.budget_table import static_budget
from tailc.models.token_batches.arrays import TokenScheduler
from tailc.studies.held_out_tokens import read_held_out_tokens
from tests.tailc.artifact.published import ROOT
from tests.tailc.policies.llm_batching.case import write

SCHEMA = json.loads((ROOT / "schemas" / "report" / "diff-1.schema.json").read_text())
KIT = ROOT / "schemas" / "released" / "1.11" / "kit.tailc"


@pytest.fixture
def case(tmp_path):
    """The released policy with one budget of 48 tokens, and requests."""
    policy = read_policy(KIT)
    static = static_budget(policy.budget_table.engine, 48)
    write_policy(replace(policy, name="static", forms=(static,)), str(tmp_path / "static"))
    return tmp_path / "static.tailc", write(tmp_path).held_out


def test_each_rate_has_the_percentiles_of_two_replays(case, tailc):
    static, held_out = case
    ended = tailc("diff", static, KIT, "--trace", held_out, "--output-format", "json")
    assert ended.code == 0, ended.err
    document = json.loads(ended.out)["result"]
    jsonschema.validate(document, SCHEMA)
    new = read_policy(KIT)
    requests = read_held_out_tokens(new, str(held_out))
    assert [one["rate_mrps"] for one in document["tokens"]["rates"]] == list(new.rates_mrps)
    for one in document["tokens"]["rates"]:
        experiment = TokenExperiment(requests, one["rate_mrps"])
        for side, policy in (("old", read_policy(static)), ("new", new)):
            outcome = experiment.outcome(TokenScheduler("", "", policy.budget_table))
            assert one[f"{side}_goodput_ppm"] == round(1e6 * goodput(outcome, new.slos))
            found = [tail[f"{side}_us"] for tail in one["tails"]]
            assert found == [tail_us(outcome, slo) for slo in new.slos]
        change = one["tails"][0]["change"]
        ratio = one["tails"][0]["new_us"] / one["tails"][0]["old_us"]
        assert change["ppm"] / 1e6 == pytest.approx(ratio - 1, abs=1e-4)
        assert change["low_ppm"] <= change["ppm"] <= change["high_ppm"]


def test_a_policy_does_not_change_from_itself(case, tailc):
    _, held_out = case
    ended = tailc("diff", KIT, KIT, "--trace", held_out, "--exit-code")
    assert ended.code == 0
    lines = [line for line in ended.out.splitlines() if " ttft " in line or " itl " in line]
    assert lines
    assert all(line.endswith("+0.0 % (+0.0 .. +0.0)") for line in lines)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--rate", "3/s"), "--rate and --arrivals do not apply"),
        (("--cut-off", "3s"), "--cut-off does not apply"),
        (("--windows", "3"), "--windows"),
    ],
)
def test_options_of_other_replays_are_refused(case, tailc, words, message):
    static, held_out = case
    ended = tailc("diff", static, KIT, "--trace", held_out, *words)
    assert ended.code == 64
    assert message in ended.err


def test_a_request_that_does_not_fit_into_the_cache_is_refused(case, tailc):
    static, held_out = case
    lines = held_out.read_text().splitlines()
    lines[3] = f"{lines[3].split(',')[0]},20000,3"
    held_out.write_text("\n".join(lines) + "\n")
    ended = tailc("diff", static, KIT, "--trace", held_out)
    assert ended.code == 65
    assert "the cache of the engine holds" in ended.err
