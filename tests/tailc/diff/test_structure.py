"""What differs between two policies, across schema versions too."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tailc.artifact.envelope import Policy
from tailc.artifact.files import read_policy
from tailc.artifact.flat_form import decode_flat, encode_flat
from tailc.artifact.json_form import encode_json
from tailc.diff.differences import SettingChange
from tailc.diff.structure import StructureDiff, compare_structure, remarks
from tailc.errors import Code, Severity
from tailc.forms.ladder.overload import Overload
from tailc.forms.ladder.sharing import Sharing
from tailc.forms.ladder.table import Guard, Outside, Rule
from tailc.specs.slo import Slo
from tests.tailc.artifact.published import (
    ROOT,
    lucene_policy,
    policy_of,
    sharing_policy,
    small_policy,
)
from tests.tailc.artifact.random_policies import random_policy
from tests.tailc.models.shared_cores.servers import overloaded
from tests.tailc.specs.metrics import later_metric

SEEDS = st.integers(0, 2**32)
RELEASED = sorted(
    path
    for path in (ROOT / "schemas" / "released").glob("*/*.json")
    if not path.name.endswith(".schema.json")
)
EMPTY = StructureDiff((), (), (), (), (), ())
LUCENE = lucene_policy()


def with_form(**changes: object) -> Policy:
    return replace(LUCENE, forms=(replace(LUCENE.forms[0], **changes),))  # type: ignore[arg-type]


@given(SEEDS)
def test_a_policy_beside_itself_has_no_difference(seed):
    policy = random_policy(Random(seed))
    assert compare_structure(policy, decode_flat(encode_flat(policy))) == EMPTY


@given(SEEDS, SEEDS)
def test_differences_of_what_a_policy_says_are_never_overlooked(seed, other):
    one, two = random_policy(Random(seed)), random_policy(Random(other))
    found = compare_structure(one, two)
    assert found.differs == (not one.same_policy(two))


@given(SEEDS, SEEDS)
def test_what_is_not_a_decision_never_makes_policies_differ(seed, other):
    one, two = random_policy(Random(seed)), random_policy(Random(other))
    one = replace(one, slos=two.slos, evidence=replace(one.evidence, estimates=None))
    two = replace(one, generation=9, inputs=two.inputs, reading=two.reading, evidence=two.evidence)
    found = compare_structure(one, two)
    assert not found.differs
    assert bool(found.without_effect) == (one != two)


@pytest.mark.parametrize("path", RELEASED, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_an_artifact_of_a_released_version_is_the_same_written_anew(path: Path, tmp_path: Path):
    old = read_policy(path)
    (tmp_path / "new.json").write_bytes(encode_json(old))
    assert compare_structure(old, read_policy(tmp_path / "new.json")) == EMPTY
    assert compare_structure(old, read_policy(path.with_suffix(".tailc"))) == EMPTY


def test_a_released_artifact_beside_today_s_of_the_same_policy_has_no_difference():
    released = read_policy(ROOT / "schemas/released/1.0/lucene.json")
    assert not compare_structure(released, LUCENE).differs


def test_promises_are_told_one_by_one():
    first, second = LUCENE.slos
    other = Slo(first.percentile_ppm, 450_000)
    new = replace(LUCENE, slos=(other,), rates_mrps=(30_000, 44_000))
    assert compare_structure(LUCENE, new).promise == (
        SettingChange("SLO", "p99 <= 500 ms", "p99 <= 450 ms"),
        SettingChange("SLO", str(second), None),
        SettingChange("rates", "30/s, 40/s", "30/s, 44/s"),
    )


def test_an_objective_of_another_metric_is_another_objective():
    first, second = LUCENE.slos
    new = replace(LUCENE, slos=(replace(first, metric=later_metric()), second))
    changed = SettingChange("SLO", str(first), f"time-to-first-token {first}")
    assert compare_structure(LUCENE, new).promise == (changed,)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"quantum_us": 10_000}, SettingChange("quantum", "5 ms", "10 ms")),
        (
            {"guard": Guard(1, 40, Outside.FIRST_RUNG)},
            SettingChange(
                "guard", "0 to 24, the nearest row beyond", "1 to 40, the first rung beyond"
            ),
        ),
        (
            {"cost_units": (replace(LUCENE.forms[0].cost_units[0], capacity_ppm=16_000_000),)},
            SettingChange("capacity in threads", "15", "16"),
        ),
        (
            {"rungs": (*LUCENE.forms[0].rungs[:3], replace(LUCENE.forms[0].rungs[3], speed_ppm=3))},
            SettingChange("speed of d4", "3.2", "0.000003"),
        ),
    ],
)
def test_a_setting_of_a_ladder_is_told_by_name(changes, told):
    (form,) = compare_structure(LUCENE, with_form(**changes)).forms
    assert (form.settings, form.rows) == ((told,), ())


def test_boosting_taken_away_is_a_rule_and_a_limit_less():
    rules = (Rule.NEVER_DESCEND, Rule.REREAD_ROW)
    (form,) = compare_structure(LUCENE, with_form(rules=rules, boost=None)).forms
    assert [change.what for change in form.settings] == ["rules", "boost"]


def test_forms_are_matched_by_their_class():
    both = small_policy()
    one = replace(both, forms=both.forms[:1])
    gone, come = compare_structure(both, one), compare_structure(one, both)
    assert gone.removed == come.added == (both.forms[1].request_class,)
    assert gone.added == gone.forms == come.forms == ()
    assert gone.differs


def test_the_order_of_forms_is_no_difference():
    both = small_policy()
    assert compare_structure(both, replace(both, forms=both.forms[::-1])) == EMPTY


def test_what_is_apart_names_each_value():
    evidence = replace(LUCENE.evidence, evaluations=7, settings=(("step_us", 1),))
    found = compare_structure(replace(LUCENE, evidence=evidence), replace(LUCENE, generation=2))
    assert SettingChange("generation", "1", "2") in found.without_effect
    settings = dict(LUCENE.evidence.settings)
    step_us = str(settings["step_us"]) if "step_us" in settings else None
    assert SettingChange("evidence.settings[step_us]", "1", step_us) in found.without_effect


def test_policies_of_two_services_or_kinds_are_compared_with_a_warning():
    other = replace(LUCENE, name="bing", kind="elfen")
    findings = remarks(LUCENE, other)
    assert [finding.code for finding in findings] == [Code.OTHER_SERVICE] * 2
    assert {finding.severity for finding in findings} == {Severity.WARNING}
    assert remarks(LUCENE, LUCENE) == ()


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"shed_from": 70}, SettingChange("refused from", "61 in system", "70 in system")),
        ({"cut_off_us": 900_000}, SettingChange("cut off at", "800.123 ms", "900 ms")),
        ({"degrade_from": 0}, SettingChange("degraded from", "40 in system", "0 in system")),
        ({"work_ppm": 500_000}, SettingChange("degraded work", "0.600001", "0.5")),
    ],
)
def test_what_is_lost_under_overload_is_told_by_name(changes, told):
    policy = policy_of("overload")
    (ladder,) = policy.ladders
    changed = replace(ladder, overload=replace(ladder.overload, **changes))
    (form,) = compare_structure(policy, replace(policy, forms=(changed,))).forms
    assert (form.settings, form.rows) == ((told,), ())


def test_a_new_rule_for_overload_names_only_what_it_changes():
    shedding = overloaded(LUCENE.ladders[0], Overload(shed_from=4))
    (form,) = compare_structure(LUCENE, replace(LUCENE, forms=(shedding,))).forms
    told = [change for change in form.settings if change.what != "rules"]
    assert told == [SettingChange("refused from", "never", "4 in system")]


@pytest.mark.parametrize(
    ("told", "named"),
    [
        (
            Sharing(0, 9_000_000, 5_000),
            SettingChange("starts", "while threads in use < 8", "while threads in use < 9"),
        ),
        (Sharing(0, 8_000_000, 7_000), SettingChange("falls to d1 at", "5 ms", "7 ms")),
    ],
)
def test_how_requests_share_is_told_by_name(told, named):
    before = sharing_policy(Sharing(0, 8_000_000, 5_000))
    (form,) = compare_structure(before, sharing_policy(told)).forms
    assert (form.settings, form.rows) == ((named,), ())
