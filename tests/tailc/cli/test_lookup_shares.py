"""tailc lookup in a form of shares."""

from __future__ import annotations

import json

import pytest

from tests.tailc.cli.json_schemas import OUTPUT
from tests.tailc.policies.compiled import compiled_kind
from tests.tailc.schemas import validate


@pytest.fixture(scope="module")
def policy(tmp_path_factory):
    return compiled_kind(tmp_path_factory, "autopro").stem


def test_before_a_step_each_machine_has_what_its_model_needs(policy, tailc):
    """20 (1 - 0.2) / 48 is a third of the host, and the pricer's target 30 % of what it can do."""
    machines = json.loads(tailc("lookup", policy, "--output-format", "json").out)["result"][
        "machines"
    ]
    first, second, batch = (machine["granted_ppm"] for machine in machines)
    assert first == pytest.approx(333_333, rel=0.01)
    assert second == pytest.approx(300_000, rel=0.01)
    assert batch == 1_000_000 - first - second


def test_a_machine_that_is_below_its_target_gets_more(policy, tailc):
    words = ("--throughput", "15/s,284/s")
    one = tailc("lookup", policy, *words, "--output-format", "json")
    two = tailc("lookup", policy, *words, *words, "--output-format", "json")
    first, then = (json.loads(e.out)["result"]["machines"][0]["granted_ppm"] for e in (one, two))
    assert 333_333 < first < then


def test_a_lasting_shortage_is_told(policy, tailc):
    words = ("--throughput", "1/s,284/s") * 30
    assert "encoder cannot meet its target" in tailc("lookup", policy, *words).out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--age", "5ms"), "this artifact has shares of a host: --age does not apply"),
        (("--throughput", "5/s"), "`--throughput` needs 2 rates, one for each of: encoder, pricer"),
        (("--throughput", "5,6"), "has no unit"),
    ],
)
def test_what_does_not_fit_is_refused(policy, tailc, words, said):
    ended = tailc("lookup", policy, *words)
    assert ended.code == 64
    assert said in " ".join(ended.err.split())


def test_a_ladder_has_no_throughput(tmp_path, tailc):
    from tests.tailc.policies.few_to_many.case import write as write_ladder

    written = write_ladder(tmp_path)
    assert tailc("compile", written.spec, "-o", tmp_path / "p").code == 0
    ended = tailc("lookup", tmp_path / "p", "--in-system", "1", "--throughput", "5/s")
    assert ended.code == 64


@pytest.mark.parametrize("measured", [(), ("--throughput", "12/s,300/s")])
def test_its_document_is_as_the_schema_says(policy, tailc, measured):
    document = json.loads(tailc("lookup", policy, *measured, "--output-format", "json").out)
    validate(document, OUTPUT)
    assert document["command"] == "lookup"
