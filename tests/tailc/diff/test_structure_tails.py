"""What differs between tail tables and between shares, told by name."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tailc.artifact.envelope import Policy
from tailc.diff.compare import diff
from tailc.diff.differences import SettingChange
from tailc.diff.shares import shares_changes
from tailc.diff.structure import compare_structure
from tailc.diff.tail_tables import TailRowChange, TailTableChange, tail_table_change
from tailc.forms.shares import Shares
from tailc.forms.tail_table import Batch, Level, Sleep, TailRow, TailTable, Transition
from tailc.report import diff as render
from tailc.report.diff.words import tail_table_lines
from tests.tailc.artifact.published import lucene_policy, policy_of, shares_policy, tail_policy
from tests.tailc.forms.random_forms import random_shares, random_tail_table
from tests.tailc.schemas import validate

SEEDS = st.integers(0, 2**32)
SCHEMA = json.loads((Path(__file__).parents[3] / "schemas/report/diff-1.schema.json").read_text())
TRIMMED, SHARED = tail_policy(), shares_policy()
assert TRIMMED.tail_table
assert SHARED.shares
TABLE, SHARES = TRIMMED.tail_table, SHARED.shares


def with_table(table: TailTable) -> Policy:
    return replace(TRIMMED, forms=(table, TRIMMED.controller))


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"bound_us": 700}, SettingChange("bound", "600 us for p95", "700 us for p95")),
        ({"percentile_ppm": 999_000}, SettingChange("bound", "600 us for p95", "600 us for p99.9")),
        ({"cores": 4}, SettingChange("cores", "6", "4")),
        ({"reference_khz": 2_400_000}, SettingChange("demands measured at", "none", "2.4 GHz")),
        ({"sleep": Sleep(0, 20_000)}, SettingChange("power asleep", "300 mW", "0 mW")),
        ({"sleep": Sleep(300, 7)}, SettingChange("time to wake", "20000 ns", "7 ns")),
        (
            {"levels": (Level(800_000, 1_600), *TABLE.levels[1:])},
            SettingChange("power at 800 MHz", "1.54 W", "1.6 W"),
        ),
        (
            {"transition": Transition(50_000, 5_000)},
            SettingChange("transition", "none", "50000 ns, 5 uJ"),
        ),
        (
            {"batch": Batch(1_000_000, 800_000, 1_500)},
            SettingChange("batch work", "none", "at 800 MHz and 1.5 W, requests at 1 GHz at least"),
        ),
    ],
)
def test_a_setting_of_a_tail_table_is_told_by_name(changes, told):
    found = compare_structure(TRIMMED, with_table(replace(TABLE, **changes)))
    assert found.tail_table == TailTableChange((told,))
    assert (found.forms, found.controller, found.promise) == ((), (), ())
    assert found.changes_behaviour


def test_a_frequency_that_is_gone_is_told_with_its_power():
    found = tail_table_change(TABLE, replace(TABLE, levels=TABLE.levels[:-1]))
    assert [change.what for change in found.settings] == ["frequencies", "power at 3.4 GHz"]
    assert found.settings[1] == SettingChange("power at 3.4 GHz", "9.34 W", None)


def test_entries_are_counted_with_the_least_and_the_largest_relative_change():
    """Of 16 entries of cycles one falls by 1 / 40 and one rises by 1 / 7; 0 has no relation."""
    first, second, third, last = TABLE.cycles
    new = replace(
        TABLE,
        cycles=(
            replace(first, left=(240_000, 410_000, 546_000, 700_001)),
            second,
            replace(third, left=(160_000, 340_000, 500_000, 742_857)),
            replace(last, left=(7, 7, 300_000, 300_000)),
        ),
    )
    found = tail_table_change(TABLE, new)
    assert [(row.from_elapsed, row.to_elapsed) for row in found.cycles] == [
        (0, 90_000),
        (180_001, 400_000),
        (400_000, None),
    ]
    assert found.cycles[0] == TailRowChange(0, 90_000, first.left, new.cycles[0].left)
    assert found.cycles[0].relative == (Fraction(-1, 40),)
    assert [row.entries for row in found.cycles] == [1, 1, 2]
    assert tail_table_lines(found) == [
        "cycles left: 4 of 12 entries in 3 ranges, -2.5 % to +14.3 %"
    ]


def test_a_row_more_that_says_the_same_is_a_setting_alone():
    split = (*TABLE.memory_ns, TailRow(50_000, TABLE.memory_ns[-1].left))
    found = tail_table_change(TABLE, replace(TABLE, memory_ns=split))
    told = SettingChange("rows of memory time from", "0, 20000", "0, 20000, 50000")
    assert found == TailTableChange((told,))


def test_positions_that_one_side_has_are_entries_that_differ():
    fewer = [
        tuple(replace(row, left=row.left[:3]) for row in rows)
        for rows in (TABLE.cycles, TABLE.memory_ns)
    ]
    found = tail_table_change(TABLE, replace(TABLE, cycles=fewer[0], memory_ns=fewer[1]))
    assert found.settings == (SettingChange("positions", "4", "3"),)
    assert tail_table_lines(found)[1:] == [
        "cycles left: 4 of 16 entries in 4 ranges",
        "memory time left: 2 of 8 entries in 2 ranges",
    ]


def test_a_change_by_one_amount_is_told_once():
    rows = tuple(replace(row, left=tuple(2 * left for left in row.left)) for row in TABLE.memory_ns)
    found = tail_table_change(TABLE, replace(TABLE, memory_ns=rows))
    (line,) = tail_table_lines(found)
    assert line == "memory time left: 8 of 8 entries in 2 ranges, +100.0 %"


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"pole_ppm": 200_000}, SettingChange("pole", "0.1", "0.2")),
        ({"step_us": 1_500_000}, SettingChange("step every", "750 ms", "1.5 s")),
        ({"least_ppm": 50_000}, SettingChange("least share", "2 %", "5 %")),
        ({"tolerance_ppm": 60_000}, SettingChange("tolerance", "5 %", "6 %")),
        (
            {"machines": (replace(SHARES.machines[0], target_milli=31_000), *SHARES.machines[1:])},
            SettingChange("target of encoder", "30/s", "31/s"),
        ),
        (
            {"machines": (SHARES.machines[1], SHARES.machines[0], SHARES.machines[2])},
            SettingChange("machines", "encoder, index, nightly", "index, encoder, nightly"),
        ),
    ],
)
def test_a_setting_of_shares_is_told_by_name(changes, told):
    found = compare_structure(SHARED, replace(SHARED, forms=(replace(SHARES, **changes),)))
    assert found.shares == (told,)
    assert found.changes_behaviour


def test_a_machine_comes_with_its_target_and_its_model():
    fewer = replace(SHARES, machines=SHARES.machines[:2])
    assert [(change.what, change.old) for change in shares_changes(fewer, SHARES)] == [
        ("machines", "encoder, index"),
        ("target of nightly", None),
        ("first a of nightly", None),
        ("first b of nightly", None),
    ]


@given(SEEDS, SEEDS)
def test_tail_tables_differ_in_words_exactly_if_they_differ(seed, other):
    one, two = random_tail_table(Random(seed)), random_tail_table(Random(other))
    for field in fields(TailTable):
        try:
            mixed = replace(one, **{field.name: getattr(two, field.name)})
        except ValueError:  # the two do not go together
            continue
        assert bool(tail_table_change(one, mixed)) == (one != mixed), field.name
        assert bool(tail_table_lines(tail_table_change(one, mixed))) == (one != mixed)
    assert bool(tail_table_change(one, two)) == (one != two)


@given(SEEDS, SEEDS)
def test_shares_differ_in_words_exactly_if_they_differ(seed, other):
    one, two = random_shares(Random(seed)), random_shares(Random(other))
    for field in fields(Shares):
        try:
            mixed = replace(one, **{field.name: getattr(two, field.name)})
        except ValueError:  # the two do not go together
            continue
        assert bool([*shares_changes(one, mixed)]) == (one != mixed), field.name
    assert bool([*shares_changes(one, two)]) == (one != two)


def test_a_form_that_only_one_policy_has_is_one_difference():
    found = compare_structure(lucene_policy(), TRIMMED)
    told = SettingChange("tail table", None, "600 us for p95, 14 levels")
    assert (found.tail_table, found.removed) == (TailTableChange((told,)), (None,))
    back = compare_structure(SHARED, lucene_policy())
    assert back.shares == (SettingChange("shares", "3 machines by pole-placement", None),)
    assert back.added == (None,)


LATER = with_table(replace(TABLE, bound_us=650, memory_ns=TABLE.memory_ns[:1]))
BATCHED = replace(policy_of("tails-batch"), name=TRIMMED.name)
OTHERS = replace(SHARED, forms=(replace(SHARES, host_ppm=900_000),))


@pytest.mark.parametrize(
    ("old", "new"), [(TRIMMED, LATER), (TRIMMED, BATCHED), (SHARED, OTHERS), (TRIMMED, SHARED)]
)
def test_every_report_tells_of_it(old, new):
    found = diff(old, new)
    document = json.loads(json.dumps(render.as_dict(found)))
    validate(document, SCHEMA)
    text, markdown = render.as_text(found), render.as_markdown(found)
    assert len(text.splitlines()) <= 40
    for change in (*found.structure.tail_table.settings, *found.structure.shares):
        assert f"{change.what}: " in text
        assert f"{change.what}: " in markdown
    (note,) = render.as_notes(found)
    is_of_table = bool(found.structure.tail_table)
    assert ("tail table" in text.splitlines()) == is_of_table
    assert (document["forms"]["tail_table"] is not None) == is_of_table
    assert ("of the tail table" in note.message) == is_of_table
    assert ("of shares: 1" in note.message) == bool(found.structure.shares)


def test_json_has_every_entry_of_the_ranges_that_differ():
    (row,) = render.as_dict(diff(TRIMMED, LATER))["forms"]["tail_table"]["memory_ns"]
    first, second = TABLE.memory_ns
    assert row == {
        "from_elapsed": 20_000,
        "to_elapsed": None,
        "old": list(second.left),
        "new": list(first.left),
    }


@pytest.mark.parametrize("policy", [TRIMMED, BATCHED, SHARED])
def test_a_policy_beside_itself_says_nothing(policy):
    found = diff(policy, policy)
    validate(json.loads(json.dumps(render.as_dict(found))), SCHEMA)
    assert "both have the same SLO and make the same decisions" in render.as_text(found)
    assert not found.structure.differs
