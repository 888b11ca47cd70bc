"""The metric of an SLO in an artifact: left out where it is latency, refused if unknown."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tailc.artifact._generated import policy_generated as fbs
from tailc.artifact.envelope import Policy
from tailc.artifact.flat_form import decode_flat, encode_flat
from tailc.artifact.json_form import decode_json, encode_json, minor_of
from tailc.errors import Code, Finding, TailcError
from tailc.specs.slo import Metric, Slo
from tests.tailc.artifact.published import changed_json, lucene_policy
from tests.tailc.specs.metrics import later_metric

LATER = Slo(990_000, 500_000, metric=later_metric())


@pytest.fixture
def writable(monkeypatch: pytest.MonkeyPatch) -> Policy:
    """A policy with an SLO of a later metric, whose number the writer knows."""
    monkeypatch.setattr(fbs.Metric, LATER.metric.name, 5, raising=False)
    return replace(lucene_policy(), slos=(LATER,))


@pytest.fixture
def readable(writable: Policy, monkeypatch: pytest.MonkeyPatch) -> Policy:
    """The same, where readers know the metric too."""
    monkeypatch.setitem(Metric._member_map_, LATER.metric.name, LATER.metric)
    names = [*Metric._member_names_, LATER.metric.name]
    monkeypatch.setattr(Metric, "_member_names_", names)
    return writable


def refusal_of(decode: Callable[[], object]) -> Finding:
    with pytest.raises(TailcError) as caught:
        decode()
    return caught.value.findings[0]


def stating(metric: object, minor: int) -> bytes:
    """The JSON of a policy whose first SLO states a metric."""

    def change(document: dict[str, Any]) -> None:
        document["schema"]["minor"] = minor
        document["slos"][0]["metric"] = metric

    return changed_json(change)


def test_a_policy_of_latency_is_written_as_before_there_were_metrics() -> None:
    policy = lucene_policy()
    named = replace(policy, slos=tuple(replace(slo, metric=Metric.LATENCY) for slo in policy.slos))
    assert minor_of(named) == 0
    assert "metric" not in json.loads(encode_json(named))["slos"][0]
    assert encode_json(named) == encode_json(policy)
    assert encode_flat(named) == encode_flat(policy)


def test_an_slo_without_a_metric_is_one_of_latency_in_both_encodings() -> None:
    policy = lucene_policy()
    for read in (decode_json(encode_json(policy)), decode_flat(encode_flat(policy))):
        assert [slo.metric for slo in read.slos] == [Metric.LATENCY] * len(policy.slos)


def test_both_encodings_carry_another_metric_as_schema_1_7(readable: Policy) -> None:
    document = json.loads(encode_json(readable))
    assert document["schema"] == {"major": 1, "minor": 7}
    assert document["slos"][0]["metric"] == "time-to-first-token"
    assert decode_json(encode_json(readable)) == readable
    assert decode_flat(encode_flat(readable)) == readable


@pytest.mark.parametrize("minor", [7, 8])
def test_json_with_a_metric_that_is_not_known_is_refused_at_its_place(minor: int) -> None:
    finding = refusal_of(lambda: decode_json(stating("time-to-first-token", minor)))
    assert finding.code is Code.BAD_ARTIFACT
    assert "at `/slos/0/metric`: unknown value `time-to-first-token`" in finding.message
    assert finding.help == "use one of `latency`, `ttft`, `itl`, `tpot`"


def test_a_flatbuffer_with_a_metric_that_is_not_known_is_refused(writable: Policy) -> None:
    finding = refusal_of(lambda: decode_flat(encode_flat(writable)))
    assert finding.code is Code.BAD_ARTIFACT
    assert "unknown number `5` of Metric" in finding.message


@pytest.mark.parametrize("minor", [0, 7, 8])
def test_latency_is_never_stated_so_that_a_policy_has_one_json(minor: int) -> None:
    finding = refusal_of(lambda: decode_json(stating("latency", minor)))
    assert finding.code is Code.BAD_STRUCTURE
    assert "member `metric` has its default value `latency`, and must" in finding.message


def test_another_metric_makes_another_promise() -> None:
    policy = lucene_policy()
    latency = replace(policy, slos=(replace(LATER, metric=Metric.LATENCY),))
    assert not latency.same_policy(replace(policy, slos=(LATER,)))
