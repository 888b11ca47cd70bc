"""What a new policy breaks, by class."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tailc.artifact.envelope import Policy, Slo
from tailc.artifact.files import read_policy, write_policy
from tailc.diff.breaks import breaks
from tailc.diff.structure import compare_structure
from tests.tailc.artifact.published import ROOT, VECTORS, lucene_policy
from tests.tailc.schemas import validate

OLD = lucene_policy()
(LADDER,) = OLD.ladders
SCHEMA = json.loads((ROOT / "schemas" / "report" / "diff-1.schema.json").read_text())


def found(new: Policy, old: Policy = OLD) -> list[tuple[str, str]]:
    return [(one.of.value, one.text) for one in breaks(old, new, compare_structure(old, new))]


def with_ladder(**changes: object) -> Policy:
    return replace(OLD, forms=(replace(LADDER, **changes), *OLD.forms[1:]))


def vector(name: str) -> Policy:
    return read_policy(str(VECTORS / f"{name}.tailc"))


def test_the_same_policy_of_another_generation_breaks_nothing() -> None:
    assert found(replace(OLD, generation=9)) == []


def test_another_climb_is_a_change_of_behaviour_alone() -> None:
    row = LADDER.rows[-1]
    later = replace(row, climbs=(*row.climbs[:-1], replace(row.climbs[-1], age_us=10**7)))
    new = with_ladder(rows=(*LADDER.rows[:-1], later))
    assert found(new) == [("behaviour", "decides differently")]


def test_a_new_rung_or_rule_needs_code_of_the_server() -> None:
    renamed = replace(LADDER.rungs[-1], name="turbo")
    new = with_ladder(rungs=(*LADDER.rungs[:-1], renamed))
    assert ("server", "has rungs that the server must set: turbo") in found(new)
    sharing, plain = vector("sharing"), vector("lucene")
    texts = [text for of, text in found(sharing, plain) if of == "server"]
    assert any(text.startswith("has rules that the server must follow: ") for text in texts)


def test_a_narrower_range_of_loads_breaks_the_domain() -> None:
    wider = with_ladder(guard=replace(LADDER.guard, max_load=LADDER.guard.max_load + 5))
    assert [text for of, text in found(OLD, wider) if of == "domain"] == [
        f"is for loads from {LADDER.guard.min_load} to {LADDER.guard.max_load}, "
        f"before from {LADDER.guard.min_load} to {LADDER.guard.max_load + 5}"
    ]
    assert "domain" not in dict(found(wider))


def test_a_lower_highest_rate_breaks_the_domain() -> None:
    old = replace(OLD, rates_mrps=(10_000, 40_000))
    new = replace(OLD, rates_mrps=(20_000,))
    assert ("domain", "is for rates up to 20/s, before up to 40/s") in found(new, old)
    assert "domain" not in dict(found(old, new))


SLO = Slo(990_000, 200_000)


@pytest.mark.parametrize(
    ("slo", "text"),
    [
        (SLO, None),
        (Slo(990_000, 150_000), None),
        (Slo(999_000, 200_000), None),
        (Slo(990_000, 250_000), "relaxes `p99 <= 200 ms` to `p99 <= 250 ms`"),
        (Slo(950_000, 200_000), "relaxes `p99 <= 200 ms` to `p95 <= 200 ms`"),
        (Slo(999_000, 250_000), "relaxes `p99 <= 200 ms` to `p99.9 <= 250 ms`"),
        (Slo(990_000, 200_000, window_requests=100), "has no SLO `p99 <= 200 ms`"),
    ],
)
def test_an_slo_stays_if_the_new_ones_imply_it(slo: Slo, text: str | None) -> None:
    evidence = replace(OLD.evidence, estimates=None)
    old = replace(OLD, slos=(SLO,), evidence=evidence)
    new = replace(OLD, slos=(slo,), evidence=evidence)
    assert dict(found(new, old)).get("slo") == text


def test_another_form_or_load_needs_another_server() -> None:
    assert ("server", "is a tail table, before a ladder") in found(vector("tails"))
    new = replace(OLD, forms=vector("rate").ladders)
    texts = [text for of, text in found(new) if of == "server"]
    assert any(text.startswith("has loads in ") for text in texts)


def test_a_class_without_a_ladder_is_named() -> None:
    old = vector("classes")
    named = next(one for one in old.ladders if one.request_class is not None)
    others = tuple(
        replace(one, request_class="other") if one.request_class is None else one
        for one in old.ladders
        if one is not named
    )
    text = f"has no ladder for requests of class `{named.request_class}`"
    assert ("server", text) in found(replace(old, forms=others), old)


def test_a_class_is_compared_with_the_ladder_for_all() -> None:
    narrow = replace(LADDER.guard, max_load=LADDER.guard.max_load - 1)
    strange = replace(LADDER.rungs[-1], name="turbo")
    changes = {"guard": narrow, "rungs": (*LADDER.rungs[:-1], strange)}
    of_class = replace(LADDER, request_class="search", **changes)
    texts = [
        ("server", "has rungs that the server must set: turbo of class `search`"),
        (
            "domain",
            f"is for loads from {narrow.min_load} to {narrow.max_load} of class `search`, "
            f"before from {LADDER.guard.min_load} to {LADDER.guard.max_load}",
        ),
    ]
    new_class = replace(OLD, forms=(LADDER, of_class))
    assert [one for one in found(new_class) if one[0] != "behaviour"] == texts
    old = replace(OLD, forms=(LADDER, replace(LADDER, request_class="search")))
    without = [one for one in found(with_ladder(**changes), old) if one[0] != "behaviour"]
    assert set(texts) <= set(without)


def test_a_later_schema_needs_later_readers() -> None:
    new = vector("settings")
    (text,) = [text for of, text in found(new) if of == "reader"]
    assert text.startswith("needs readers of schema 1.")
    assert "reader" not in dict(found(OLD, new))


def test_the_command_exits_2_for_the_chosen_classes(in_folder, tailc) -> None:
    write_policy(OLD, "old")
    narrow = replace(LADDER.guard, max_load=LADDER.guard.max_load - 1)
    write_policy(with_ladder(guard=narrow), "new")
    ended = tailc("diff", "old", "new", "--breaking", "slo")
    assert ended.code == 0
    assert "breaks domain: is for loads from " in ended.out
    assert tailc("diff", "old", "new", "--breaking", "slo", "--breaking", "domain").code == 2
    ended = tailc("diff", "old", "new", "--breaking", "all", "--output-format", "json")
    result = json.loads(ended.out)["result"]
    validate(result, SCHEMA)
    assert ended.code == 2
    assert "domain" in {one["class"] for one in result["breaking"]}
    same = tailc("diff", "old", "old", "--breaking", "all")
    assert same.code == 0
    assert same.out.endswith("breaks nothing\n")
