"""The highest rates at which token budgets meet all SLOs."""

from __future__ import annotations

import json

import jsonschema
import pytest

from tailc.artifact.files import read_policy
from tailc.experiment.options import VerifyOptions
from tailc.experiment.token_replays import TokenExperiment, tail_us
from tailc.models.token_batches.arrays import TokenScheduler
from tailc.studies.held_out_tokens import read_held_out_tokens
from tailc.verify.tokens.size import size_tokens
from tests.tailc.artifact.published import ROOT
from tests.tailc.policies.llm_batching.case import write

SCHEMA = json.loads((ROOT / "schemas" / "report" / "size-tokens-1.schema.json").read_text())
KIT = ROOT / "schemas" / "released" / "1.11" / "kit.tailc"


@pytest.fixture(scope="module")
def held_out(tmp_path_factory):
    return write(tmp_path_factory.mktemp("size")).held_out


@pytest.fixture(scope="module")
def sized(held_out):
    """The released policy and a budget of 512 tokens on its engine."""
    policy = read_policy(KIT)
    options = VerifyOptions(baselines=("static-512",), replicates=60)
    return size_tokens([policy], read_held_out_tokens(policy, str(held_out)), options)


def meets(policy, requests, rate_mrps):
    outcome = TokenExperiment(requests, rate_mrps).outcome(
        TokenScheduler("", "", policy.budget_table)
    )
    return all(tail_us(outcome, slo) <= slo.latency_us for slo in policy.slos)


def test_the_slos_are_met_at_the_highest_rate_and_not_at_the_next_one(sized, held_out):
    policy = read_policy(KIT)
    requests = read_held_out_tokens(policy, str(held_out))
    ours = sized.capacities[0]
    assert ours.rate_mrps is not None
    assert meets(policy, requests, ours.rate_mrps)
    assert not meets(policy, requests, ours.rate_mrps + ours.step_mrps)
    assert ours.low_mrps is not None
    assert ours.low_mrps <= ours.rate_mrps <= ours.high_mrps
    assert ours.compiled_mrps == max(policy.rates_mrps)


def test_a_large_budget_misses_the_limit_between_tokens(sized):
    """An iteration of 512 tokens takes longer than the limit."""
    ours, static = sized.capacities
    assert static.subject == "static-512"
    assert (static.rate_mrps or 0) < ours.rate_mrps


def test_the_document_is_as_its_schema_says(held_out, tailc):
    words = ("--baselines", "none", "--replicates", "60", "--fleet-rate", "100/s")
    ended = tailc("size", KIT, "--trace", held_out, *words, "--output-format", "json")
    assert ended.code == 0, ended.err
    document = json.loads(ended.out)["result"]
    jsonschema.validate(document, SCHEMA)
    (ours,) = document["capacities"]
    assert ours["servers"] == -(-100_000 // ours["rate_mrps"])
    text = tailc("size", KIT, "--trace", held_out, *words)
    assert "itl p95 <= 40 ms" in text.out
    assert f"{ours['servers']}" in text.out


def test_options_of_other_replays_are_refused(held_out, tailc):
    ended = tailc("size", KIT, "--trace", held_out, "--requests", "300")
    assert ended.code == 64
    assert "--requests does not apply" in ended.err
