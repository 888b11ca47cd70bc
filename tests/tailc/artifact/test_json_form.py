from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from tailc.artifact.envelope import SCHEMA_MINOR
from tailc.artifact.json_form import decode_json, encode_json
from tailc.errors import Code, ExitCode, TailcError
from tests.tailc.artifact.published import VECTORS, changed_json, lucene_policy

LUCENE = (VECTORS / "lucene.json").read_bytes()
Change = Callable[[dict[str, Any]], object]


def refusal_of(data: bytes) -> TailcError:
    with pytest.raises(TailcError) as caught:
        decode_json(data, "some.json")
    place = caught.value.findings[0].place
    assert place is not None
    assert place.source == "some.json"
    assert all(finding.help for finding in caught.value.findings)
    return caught.value


def code_of(data: bytes) -> Code:
    return refusal_of(data).findings[0].code


def test_absent_members_say_none_and_no_null_is_ever_written() -> None:
    assert b"null" not in LUCENE
    document = json.loads(LUCENE)
    assert "request_class" not in document["forms"][0]
    assert lucene_policy().forms[0].request_class is None


def test_members_are_sorted_and_nothing_stands_between_them() -> None:
    again = json.dumps(json.loads(LUCENE), sort_keys=True, separators=(",", ":"))
    assert again.encode() == LUCENE


@pytest.mark.parametrize(
    "data",
    [
        LUCENE + b"\n",
        b" " + LUCENE,
        LUCENE.replace(b'"generation":1', b'"generation": 1'),
        LUCENE.replace(b"few-to-many", b"few\\u002dto-many"),
        json.dumps(json.loads(LUCENE), indent=2).encode(),
        json.dumps(dict(reversed(json.loads(LUCENE).items())), separators=(",", ":")).encode(),
    ],
)
def test_the_same_value_in_other_bytes_is_refused(data: bytes) -> None:
    assert code_of(data) is Code.NOT_CANONICAL
    assert refusal_of(data).exit_code is ExitCode.INTEGRITY


def test_a_changed_value_no_longer_matches_the_digest() -> None:
    assert code_of(LUCENE.replace(b'"generation":1', b'"generation":2')) is Code.HASH_MISMATCH
    without = changed_json(lambda policy: policy.pop("policy_digest"), signed=False)
    assert code_of(without) is Code.HASH_MISMATCH


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "not JSON"),
        (b"[]", "a policy is a JSON object"),
        (b"nul", "not JSON"),
        (b"\xff\xfe{}", "not JSON"),
        (b"\xef\xbb\xbf" + LUCENE, "not JSON"),
        (LUCENE[:-1], "not JSON"),
        (b'{"a":' + b"[" * 100_000, "nested too deep"),
        (b'{"a":1,"a":1}', "member `a` occurs twice"),
        (LUCENE.replace(b'"minor":0', b'"minor":0.0'), "`0.0` is not a whole number"),
        (LUCENE.replace(b'"minor":0', b'"minor":0e0'), "`0e0` is not a whole number"),
        (LUCENE.replace(b'"minor":0', b'"minor":NaN'), "`NaN` is not a whole number"),
        (b'{"a":9007199254740992}', "`9007199254740992` is outside -(2^53 - 1) to 2^53 - 1"),
        (b'{"a":-9007199254740992}', "`-9007199254740992` is outside -(2^53 - 1) to 2^53 - 1"),
        (b'{"a":' + b"1" * 1_000_000 + b"}", "`11111111111111111111` is outside"),
        (b'{"a":1}', "member `format` should be `tailc-policy`"),
        (b'{"format":"tailc-policy"}', "member `schema`"),
        (LUCENE.replace(b'"minor":0', b'"minor":true'), "whole numbers"),
    ],
)  # fmt: skip
def test_what_is_not_a_policy_has_a_broken_structure(data: bytes, words: str) -> None:
    error = refusal_of(data)
    assert error.findings[0].code is Code.BAD_STRUCTURE
    assert words in error.findings[0].message


@pytest.mark.parametrize("depth", [100, 700, 900, 950, 980, 1_000, 2_000, 50_000])
def test_nesting_is_refused_at_every_depth(depth: int) -> None:
    head = b'{"format":"tailc-policy","schema":{"major":1,"minor":0},"x":'
    error = refusal_of(head + b"[" * depth + b"]" * depth + b"}")
    assert error.exit_code is ExitCode.INTEGRITY


def _set(*steps: str | int, to: object) -> Change:
    def change(document: Any) -> None:
        for step in steps[:-1]:
            document = document[step]
        document[steps[-1]] = to

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda p: p.pop("name"), "member `name` is missing"),
        (lambda p: p.update(nmae="x"), "member `nmae` does not exist"),
        (_set("name", to=None), "at `/name`: `None` should be a string"),
        (_set("generation", to="1"), "at `/generation`: `'1'` should be a whole number"),
        (_set("generation", to=True), "at `/generation`: `True` should be a whole number"),
        (_set("slos", to={}), "at `/slos`: `{}` should be a list"),
        (_set("slos", 0, to=[]), "at `/slos/0`: `[]` should be an object"),
        (_set("forms", 0, "rungs", 1, "speed_ppm", to="fast"), "at `/forms/0/rungs/1/speed_ppm`"),
        (_set("evidence", "settings", 0, to=["step_us"]), "a pair must have 2 parts, not 1"),
        (lambda p: p["forms"][0].pop("form"), "at `/forms/0`: `None` should be a string"),
    ],
)
def test_a_wrong_structure_is_located_by_pointer(change: Change, message: str) -> None:
    error = refusal_of(changed_json(change))
    assert error.findings[0].code is Code.BAD_STRUCTURE
    assert message in error.findings[0].message


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_set("generation", to=0), "`generation` must be at least 1"),
        (_set("forms", to=[]), "`forms` must not be empty"),
        (_set("forms", 0, "quantum_us", to=0), "at `/forms/0`: `quantum_us` must be at least 1"),
        (
            _set("forms", 0, "rows", 3, "first_load", to=8),
            "`first_load` of a row must be 1 above `last_load` of the row before",
        ),
        (_set("forms", 0, "load_axis", to="rps"), "at `/forms/0/load_axis`: unknown value `rps`"),
        (_set("slos", 0, "latency_us", to=0), "at `/slos/0`: an SLO's latency must be positive"),
    ],
)
def test_a_value_that_breaks_an_invariant_is_bad_content(change: Change, message: str) -> None:
    error = refusal_of(changed_json(change))
    assert error.findings[0].code is Code.BAD_ARTIFACT
    assert error.exit_code is ExitCode.BAD_CONTENT
    assert message in error.findings[0].message


def test_a_rule_that_is_not_known_is_refused_by_its_name() -> None:
    error = refusal_of(changed_json(_set("forms", 0, "rules", to=["steal-work"])))
    assert error.findings[0].code is Code.UNKNOWN_RULE
    assert "at `/forms/0/rules/0`: unknown rule `steal-work`" in str(error)


def test_a_form_that_is_not_known_is_refused_by_its_name() -> None:
    error = refusal_of(changed_json(_set("forms", 0, "form", to="timetable")))
    assert error.findings[0].code is Code.UNKNOWN_FORM
    assert "form `timetable`" in str(error)


def test_another_major_version_is_refused_before_anything_else() -> None:
    error = refusal_of(b' {"format":"tailc-policy","schema":{"major":2,"minor":3},"new":{}}')
    assert error.findings[0].code is Code.UNKNOWN_SCHEMA
    assert "schema `2.3`" in str(error)


def test_a_newer_minor_version_may_have_members_that_are_not_known_here() -> None:
    def later(document: dict[str, Any]) -> None:
        document["schema"]["minor"] = SCHEMA_MINOR + 1
        document["reviewed_by"] = "someone"
        document["forms"][0]["rungs"][0]["colour"] = {"hue": 3}

    assert decode_json(changed_json(later)) == lucene_policy()


def test_a_policy_is_written_in_the_oldest_version_that_can_say_it_and_in_no_other() -> None:
    def with_demand(document: dict[str, Any]) -> None:
        document["inputs"] = json.loads((VECTORS / "demand.json").read_bytes())["inputs"]

    def newer(document: dict[str, Any]) -> None:
        document["schema"]["minor"] = 1

    assert b'"minor":0' in LUCENE
    assert b'"minor":1' in (VECTORS / "demand.json").read_bytes()
    for change, own in ((with_demand, "1.1"), (newer, "1.0")):
        error = refusal_of(changed_json(change))
        assert error.findings[0].code is Code.BAD_STRUCTURE
        assert f"the policy needs schema `{own}`" in str(error)


@pytest.mark.parametrize(
    ("demand", "words"),
    [
        ({"mean_ns": 5, "quantiles_ns": [5] * 102}, "a demand summary must have 103 quantiles"),
        (
            {"mean_ns": 5, "quantiles_ns": [6, 5] + [7] * 101},
            ("the quantiles of a demand summary must not decrease"),
        ),
        ({"mean_ns": 9, "quantiles_ns": [5] * 103}, "between the smallest"),
        ({"mean_ns": 0, "quantiles_ns": [0] * 103}, "above 0"),
    ],
)
def test_a_demand_summary_that_no_sample_has_is_refused(demand: object, words: str) -> None:
    def change(document: dict[str, Any]) -> None:
        document["schema"]["minor"] = 1
        document["inputs"][0]["demand"] = demand

    error = refusal_of(changed_json(change))
    assert error.findings[0].code is Code.BAD_ARTIFACT
    assert "at `/inputs/0/demand`" in str(error)
    assert words in str(error)


def test_a_policy_that_json_cannot_carry_is_an_error_of_its_own() -> None:
    from dataclasses import replace

    policy = lucene_policy()
    for unfit in (replace(policy, generation=2**53), replace(policy, name="\ud800")):
        with pytest.raises(TailcError, match=re.escape("no canonical form:")):
            encode_json(unfit)
