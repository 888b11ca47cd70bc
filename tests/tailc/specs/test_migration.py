"""Specs of older versions: what they become, and what is told of them."""

from __future__ import annotations

import pytest

from tailc.errors import Code, TailcError
from tailc.policies import KINDS
from tailc.specs.document import parse_document
from tailc.specs.migration import migrated_text
from tailc.specs.older_keys import EACH
from tailc.specs.sentences import Spot
from tests.tailc.policies.cases import write_case


def migrated(kind: str, text: str) -> str:
    """The text of a spec, or a part of one, of a kind."""
    return migrated_text(parse_document(text, "old.yaml"), KINDS[kind].spec_model.older)


@pytest.mark.parametrize(
    ("kind", "old", "new"),
    [
        ("few-to-many", "search: {step: 20ms, objective: tail}", None),
        ("few-to-many", "search: {objective: queue}", "search: {method: simulation}"),
        (
            "few-to-many",
            "search: {method: dual, objective: queue, goal: rate}",
            "search: {formula_method: dual, method: simulation, objective: rate}",
        ),
        ("few-to-many", "search: {freedoms: [give-up]}", "search: {optional_rules: [give-up]}"),
        ("few-to-many", "search: {e1: paper}", "search: {admit_on_departure: true}"),
        ("few-to-many", "search: {e1: 'never'}", "search: {admit_on_departure: false}"),
        ("elfen", "search: {objective: policy}", "search: {method: paper}"),
        ("rubik", "search: {objective: 'queue'}", "search: {method: 'simulation'}"),
        ("rubik", "search:\n  objective: frequency", "search:\n  method: paper"),
        ("joint-ladder", "objective: energy  # why", "search: {objective: energy}  # why"),
        ("autopro", "host: {most: 80%, least: 1%}", "host: {max_total: 80%, min_share: 1%}"),
        ("green-sla", "opportunity: 1c/h", "opportunity_cost: 1c/h"),
        (
            "greenpar",
            "battery: {kept: 90%, first: 1J}",
            "battery: {efficiency: 90%, initial_charge: 1J}",
        ),
        ("greenpar", "vms_a_server: [2]", "vms_per_server: [2]"),
        ("greenpar", "search: {aim: 2%}", "search: {gap: 2%}"),
        (
            "greenpar",
            "supply:\n  green: [{stamp: end}, {keeps_longer_gaps: true}]\n  price: {stamp: end}",
            "supply:\n  green: [{timestamp: end}, {skip_longer_gaps: true}]\n"
            "  price: {timestamp: end}",
        ),
        (
            "slow-to-fast",
            "objective: queue\nsearch: {goal: energy}",
            "search: {method: simulation, objective: energy}",
        ),
        (
            "slow-to-fast",
            "search: {}\n# Nobody waits.\nobjective: tail  # yet",
            "# Nobody waits.\n# yet\nsearch: {objective: tail}",
        ),
        (
            "joint-ladder",
            "# The head.\n\n# Above.\nobjective: queue  # behind\nsearch:\n    # Of it.\n"
            "    goal: batch  # why",
            "# The head.\n\nsearch:\n    # Above.\n    method: simulation  # behind\n    # Of it.\n"
            "    objective: batch  # why",
        ),
        (
            "slow-to-fast",
            '{"objective": "queue", "search": {"goal": "tail"}}',
            '{"search": {"method": "simulation", "objective": "tail"}}',
        ),
        (
            "slow-to-fast",
            '{\n  "search": {\n    "step": "1ms"\n  },\n  "objective": "tail"\n}',
            '{\n  "search": {"objective": "tail",\n    "step": "1ms"\n  }\n}',
        ),
        ("slow-to-fast", '{"objective": "tail"}', '{"search": {"objective": "tail"}}'),
    ],
)
def test_what_is_said_stays_and_stands_where_it_stands_now(kind, old, new):
    assert migrated(kind, f"{old}\n") == f"{new or old}\n"


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_kind_has_what_its_older_keys_are_now(kind):
    model = KINDS[kind].spec_model
    for key in model.older:
        at = tuple(0 if step == EACH else step for step in key.now)
        assert Spot(model, at).field is not None
        # A joint ladder had no method beside its objective.
        if key.displaced and kind != "joint-ladder":
            assert Spot(model, (*key.now[:-1], key.displaced)).field is not None


@pytest.mark.parametrize(
    ("kind", "key", "said"),
    [
        ("slow-to-fast", "objective: tail", "`objective` is now written `search.objective`"),
        (
            "joint-ladder",
            "objective: queue",
            ("`objective: queue` is now written `search.method: simulation`"),
        ),
        (
            "few-to-many",
            None,
            "`search.objective: queue` is now written `search.method: simulation`",
        ),
    ],
)
def test_an_older_spec_is_refused_with_what_rewrites_it(tmp_path, tailc, kind, key, said):
    case = write_case(kind, tmp_path)
    # Older specs of joint ladders have no method.
    text = case.spec.read_text().replace("search: {method: dual}\n", "")
    older = (
        text.replace("{method: grid, step: 20ms}", "{objective: queue}")
        if key is None
        else f"{text}{key}\n"
    )
    case.spec.write_text(f"# Of a team.\n{older}")
    done = tailc("check", case.spec)
    assert done.code == 65
    told = " ".join(done.err.split())
    assert said in told
    assert f"rewrite the spec with `tailc migrate {case.spec}`" in told
    assert tailc("migrate", case.spec).code == 0
    assert case.spec.read_text().startswith("# Of a team.\n")
    assert tailc("check", case.spec).code == 0


def test_an_older_key_beside_its_new_name_is_refused_where_it_is() -> None:
    with pytest.raises(TailcError) as caught:
        migrated("greenpar", "name: a\nsupply: {green: [{stamp: end, timestamp: start}]}\n")
    (finding,) = caught.value.findings
    assert finding.place is not None
    assert (finding.code, finding.place.line, finding.place.column) == (Code.CONFLICT, 2, 19)
    assert "`supply.green.0.stamp` and `supply.green.0.timestamp` are" in finding.message
