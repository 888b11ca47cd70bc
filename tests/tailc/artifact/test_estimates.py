"""Estimates of percentiles in an artifact: evidence that older readers do without."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tailc.artifact.envelope import Policy
from tailc.artifact.estimates import ByHand, Sample, Standing
from tailc.artifact.flat_form import decode_flat, encode_flat
from tailc.artifact.json_form import decode_json, encode_json, minor_of
from tailc.artifact.plain import from_plain, to_plain
from tailc.artifact.refusal import Refusal
from tailc.artifact.shapes import record_of
from tailc.errors import Code, TailcError
from tests.tailc.artifact.published import VECTORS, changed_json, lucene_policy, policy_of
from tests.tailc.artifact.versions_case import FLATC, RELEASED, known_in

ESTIMATED = policy_of("estimates")
ESTIMATES = ESTIMATED.evidence.estimates
BARE = replace(ESTIMATED, evidence=replace(ESTIMATED.evidence, estimates=None))


def test_both_encodings_carry_estimates_as_schema_1_8() -> None:
    assert json.loads(encode_json(ESTIMATED))["schema"] == {"major": 1, "minor": 8}
    assert decode_json(encode_json(ESTIMATED)) == ESTIMATED
    assert decode_flat(encode_flat(ESTIMATED)) == ESTIMATED


@pytest.mark.parametrize("sample", Sample)
@pytest.mark.parametrize("standing", Standing)
def test_every_sample_and_standing_has_a_number_and_a_word(
    sample: Sample, standing: Standing
) -> None:
    assert ESTIMATES
    rows = tuple(replace(row, standing=standing) for row in ESTIMATES.rows)
    estimates = replace(ESTIMATES, sample=sample, rows=rows)
    policy = replace(ESTIMATED, evidence=replace(ESTIMATED.evidence, estimates=estimates))
    assert decode_json(encode_json(policy)) == decode_flat(encode_flat(policy)) == policy


def test_a_policy_without_estimates_is_written_as_before_there_were_any() -> None:
    policy = lucene_policy()
    assert policy.evidence.estimates is None
    assert minor_of(policy) == 0
    assert encode_json(policy) == (RELEASED / "1.0" / "lucene.json").read_bytes()
    assert encode_flat(policy) == (RELEASED / "1.0" / "lucene.tailc").read_bytes()


def test_the_rules_of_version_1_7_read_the_same_policy() -> None:
    body, known = to_plain(record_of(Policy), ESTIMATED), known_in(record_of(Policy), 7)
    read = from_plain(known, body, ignore_unknown=True)
    assert read == BARE
    assert read.same_policy(ESTIMATED)
    with pytest.raises(Refusal, match="member `estimates` does not exist"):
        from_plain(known, body, ignore_unknown=False)


def test_the_flatbuffers_schema_of_1_7_reads_all_but_the_estimates(tmp_path: Path) -> None:
    options = ["--json", "--strict-json", "--raw-binary", "-o", tmp_path]
    schema, later = RELEASED / "1.7" / "policy.fbs", VECTORS / "estimates.tailc"
    subprocess.run([FLATC, *options, schema, "--", later], check=True)
    theirs = json.loads((tmp_path / "estimates.json").read_text(encoding="utf-8"))
    ours = json.loads((VECTORS / "estimates.json").read_bytes())
    assert theirs["policy_digest"] == ours["policy_digest"]
    assert theirs["evidence"]["solver"] == ours["evidence"]["solver"]
    assert "estimates" not in theirs["evidence"]


def test_estimates_of_an_slo_that_is_not_there_are_refused() -> None:
    def change(document: dict[str, Any]) -> None:
        document["evidence"]["estimates"]["rows"][0]["slo"] = 2

    with pytest.raises(
        TailcError,
        match="`slo` of an estimate must be the number of an SLO of the policy, counted from 0",
    ) as caught:
        decode_json(changed_json(change, name="estimates"))
    assert caught.value.findings[0].code is Code.BAD_ARTIFACT


def test_a_setting_by_hand_is_overloaded_or_not() -> None:
    with pytest.raises(ValueError, match="`is_overloaded` must be 0 or 1"):
        ByHand("always 2 threads", 410_000, 0, 2, None)
