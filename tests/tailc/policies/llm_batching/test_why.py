"""A cell of a budget table: its iteration, its limit and the effect of changes."""

from __future__ import annotations

import json
from dataclasses import replace

import jsonschema
import pytest

from tailc.artifact.files import read_policy
from tailc.experiment.token_replays import TokenExperiment, tail_us
from tailc.forms.budget_table import allowance
from tailc.forms.step_times import step_ns
from tailc.models.token_batches.arrays import TokenScheduler
from tailc.report.why.budget_cell import as_text
from tailc.studies.held_out_tokens import read_held_out_tokens
from tailc.studies.why.budget_cell import budget_cell, cell_effects
from tests.tailc.artifact.published import ROOT, VECTORS
from tests.tailc.policies.llm_batching.case import write

SCHEMA = json.loads((ROOT / "schemas" / "report" / "why-tokens-1.schema.json").read_text())
KIT = ROOT / "schemas" / "released" / "1.11" / "kit.tailc"


@pytest.mark.parametrize("state", [(0, 0), (1, 511), (7, 3_000), (16, 100_000)])
def test_a_cell_has_the_decision_of_the_table(state):
    table = read_policy(KIT).budget_table
    cell, wanted = budget_cell(table, *state), allowance(table, *state)
    assert (cell.budget, cell.new_sequences) == (wanted.budget, wanted.new_sequences)
    for number, (first, last) in zip(state, (cell.decoding_range, cell.waiting_range), strict=True):
        assert first <= number
        assert last is None or number <= last


@pytest.mark.parametrize("decoding", [0, 3, 15])
def test_the_largest_budget_within_a_limit_is_the_last_that_fits(decoding):
    table = read_policy(KIT).budget_table
    cell, limit_ns = budget_cell(table, decoding, 5_000), 40_000_000
    found = cell.largest_budget(limit_ns, 900)
    times = [step_ns(table.engine.step, found + more - decoding, decoding, 900) for more in (0, 1)]
    assert times[0] <= limit_ns < times[1]


def test_no_budget_is_within_a_limit_that_decoding_alone_exceeds():
    """An iteration has a token of each decoding sequence also with a smaller budget."""
    table = read_policy(KIT).budget_table
    alone_ns = step_ns(table.engine.step, 0, 15, 900)
    assert step_ns(table.engine.step, 0, 1, 900) < alone_ns
    cell = budget_cell(table, 15, 5_000)
    assert cell.largest_budget(alone_ns - 1, 900) == 0
    assert cell.largest_budget(alone_ns, 900) >= 15


def test_no_budget_is_within_a_limit_below_an_empty_iteration():
    assert budget_cell(read_policy(KIT).budget_table, 4, 0).largest_budget(1, 0) == 0


def test_the_report_says_that_no_budget_is_within_the_limit():
    policy = read_policy(KIT)
    cell, itl = budget_cell(policy.budget_table, 15, 5_000), policy.slos[1]
    text = as_text(cell, (replace(itl, latency_us=1_000),), ())
    assert "no budget with a full cache, no budget with an empty one" in text
    assert "no budget" not in as_text(cell, (itl,), ())


def test_changes_are_those_of_replays(tmp_path):
    policy = read_policy(KIT)
    requests = read_held_out_tokens(policy, str(write(tmp_path).held_out))
    cell = budget_cell(policy.budget_table, 2, 600)
    effects = cell_effects(policy, cell, requests, 1, 60)
    assert [one.rate_mrps for one in effects] == list(policy.rates_mrps)
    experiment = TokenExperiment(requests, effects[0].rate_mrps)
    smaller = effects[0].changes[2]
    assert smaller.name == "budgets of the row x 0.8"
    rows = list(policy.budget_table.rows)
    row = rows[cell.row]
    rows[cell.row] = replace(row, budgets=tuple(round(0.8 * one) for one in row.budgets))
    table = replace(policy.budget_table, rows=tuple(rows))
    found = experiment.outcome(TokenScheduler("", "", table))
    assert smaller.tails_us == tuple(tail_us(found, slo) for slo in policy.slos)
    own = experiment.outcome(TokenScheduler("", "", policy.budget_table))
    assert effects[0].tails_us == tuple(tail_us(own, slo) for slo in policy.slos)
    slower = effects[0].changes[4]
    assert slower.name == "iterations x 1.1"
    assert all(change.ppm > 0 for change in slower.changes)


def test_the_document_is_as_its_schema_says(tmp_path, tailc):
    held_out = write(tmp_path).held_out
    words = ("why", KIT, "--decoding", "3", "--waiting-tokens", "700")
    for more in ((), ("--trace", held_out)):
        ended = tailc(*words, *more, "--output-format", "json")
        assert ended.code == 0, ended.err
        document = json.loads(ended.out)["result"]
        jsonschema.validate(document, SCHEMA)
        assert len(document["rates"]) == (2 if more else 0)
    text = tailc(*words).out
    assert f"{document['decision']['budget']:,} tokens, of which prompts take" in text
    assert "within limit" in text


@pytest.mark.parametrize(
    ("policy", "words", "message"),
    [
        (KIT, ("--in-system", "3"), "--in-system do not apply to token budgets"),
        (KIT, ("--age", "3ms"), "--age do not apply"),
        (KIT, ("--spec", "a.yaml"), "--spec do not apply"),
        (VECTORS / "lucene.tailc", ("--decoding", "3"), "apply only to token budgets"),
        (VECTORS / "lucene.tailc", (), "missing option '--in-system'"),
    ],
)
def test_options_of_other_forms_are_refused(tailc, policy, words, message):
    ended = tailc("why", policy, *words)
    assert ended.code == 64
    assert message in ended.err
