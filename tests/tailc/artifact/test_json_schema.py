from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any

import jsonschema
import pytest

from tailc.artifact.json_form import encode_json
from tests.tailc.artifact.published import ROOT, VECTORS
from tests.tailc.artifact.random_policies import random_policy

SCHEMA = json.loads((ROOT / "schemas" / "artifact" / "policy-1.12.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def test_the_schema_is_itself_valid() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_every_emitted_policy_satisfies_the_schema() -> None:
    rng = Random(3)
    for _ in range(100):
        assert not list(VALIDATOR.iter_errors(json.loads(encode_json(random_policy(rng)))))


def test_a_policy_of_an_earlier_minor_version_satisfies_the_schema_too() -> None:
    document = json.loads((ROOT / "schemas" / "released" / "1.0" / "lucene.json").read_bytes())
    assert document["schema"] == {"major": 1, "minor": 0}
    VALIDATOR.validate(document)


def test_the_schema_says_when_a_policy_is_of_which_minor_version() -> None:
    said = SCHEMA["properties"]["schema"]["description"]
    assert "Minor 1 added `demand`" in said
    assert "2 `power`, `move_us` and the controller;" in said
    assert "3 the tail table, shares, and their rules, measure and columns;" in said
    for name in ("lanes", "tails", "shares"):
        document = json.loads((VECTORS / f"{name}.json").read_bytes())
        VALIDATOR.validate(document)
        assert document["schema"]["minor"] == 3
    assert "4 the plan, its measure and its role of inputs;" in said
    for name in ("plan", "plan-cluster"):
        document = json.loads((VECTORS / f"{name}.json").read_bytes())
        VALIDATOR.validate(document)
        assert document["schema"]["minor"] == 4
    assert "5 the battery;" in said
    document = json.loads((VECTORS / "plan-battery.json").read_bytes())
    VALIDATOR.validate(document)
    assert document["schema"]["minor"] == 5
    assert "6 `overload` and `sharing`;" in said
    document = json.loads((VECTORS / "overload.json").read_bytes())
    VALIDATOR.validate(document)
    assert document["schema"]["minor"] == 6
    assert "7 `metric`;" in said
    assert "8 `estimates`;" in said
    document = json.loads((VECTORS / "estimates.json").read_bytes())
    VALIDATOR.validate(document)
    assert document["schema"]["minor"] == 8
    assert "9 `cap`, `transition`, `serial` and `waiting`;" in said
    assert "10 what rungs set" in said
    document = json.loads((VECTORS / "settings-every.json").read_bytes())
    VALIDATOR.validate(document)
    assert document["schema"]["minor"] == 10
    assert "11 the budget table, its metrics, measure and columns." in said
    VALIDATOR.validate(json.loads((VECTORS / "shares-cap.json").read_bytes()))
    for name in ("cores", "controller"):
        document = json.loads((VECTORS / f"{name}.json").read_bytes())
        assert document["schema"]["minor"] == 2
    without, with_demand = (
        json.loads((VECTORS / f"{name}.json").read_bytes()) for name in ("lucene", "demand")
    )
    assert [without["schema"]["minor"], with_demand["schema"]["minor"]] == [0, 1]
    assert not any("demand" in part for part in without["inputs"])
    assert any("demand" in part for part in with_demand["inputs"])


@pytest.mark.parametrize(
    "change",
    [
        lambda policy: policy.pop("policy_digest"),
        lambda policy: policy.update(note="x"),
        lambda policy: policy.update(generation=1.5),
        lambda policy: policy.update(generation=2**53),
        lambda policy: policy["schema"].update(major=2),
        lambda policy: policy["forms"][0].update(form="plan"),
        lambda policy: policy["forms"][0]["rules"].append("steal-work"),
        lambda policy: policy["forms"][0]["rungs"][0].pop("name"),
        lambda policy: policy["evidence"]["settings"].append(["a", 1, 2]),
    ],
)
def test_what_readers_refuse_for_its_structure_the_schema_refuses(
    change: Callable[[Any], object],
) -> None:
    document = json.loads((VECTORS / "lucene.json").read_bytes())
    change(document)
    with pytest.raises(jsonschema.ValidationError):
        VALIDATOR.validate(document)
