"""`tailc diff --witnesses`: tests that the new policy passes and the old one fails."""

from __future__ import annotations

import json

import pytest

from tests.tailc.artifact.published import ROOT, VECTORS

LUCENE = str(ROOT / "examples" / "lucene-fm" / "expected.tailc")
PAIRS = {
    "ladders": (str(VECTORS / "lucene.tailc"), LUCENE),
    "token budgets": (str(VECTORS / "budgets-smallest.tailc"), str(VECTORS / "budgets.tailc")),
    "tail tables": (str(VECTORS / "tails-smallest.tailc"), str(VECTORS / "tails.tailc")),
}


@pytest.mark.parametrize("pair", PAIRS)
def test_the_new_policy_passes_every_witness_and_the_old_one_none(in_folder, tailc, pair):
    old, new = PAIRS[pair]
    ended = tailc("diff", old, new, "--witnesses", "below/w.yaml", "--output-format", "json")
    assert ended.code == 0, ended.err
    count = json.loads(ended.out)["result"]["witnesses"]["tests"]
    assert 0 < count <= 10
    assert tailc("test", "below/w.yaml").out.endswith(f"{count} of {count} tests passed\n")
    failed = tailc("test", "below/w.yaml", "--policy", old)
    assert (failed.code, failed.out.splitlines()[-1]) == (1, f"0 of {count} tests passed")


@pytest.mark.parametrize(
    ("new", "words"),
    [(LUCENE, "no look-up was found that"), ("budgets.tailc", "no tables of one form")],
)
def test_policies_without_witnesses_are_refused(in_folder, tailc, new, words):
    ended = tailc("diff", LUCENE, str(VECTORS / new), "--witnesses", "w.yaml")
    assert ended.code == 65
    assert words in ended.err
    assert not (in_folder / "w.yaml").exists()
