"""Budget tables of the Python runtime have the same look-ups as those of the form."""

from __future__ import annotations

import itertools
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tailc_runtime import BadMeaning, BudgetTable, OtherForm, open_budget_table, open_policy
from tailc_runtime.opening import policy_from
from tailc_runtime.watched import watch_budget_table

from tailc.artifact.flat_form import encode_flat
from tailc.artifact.json_form import encode_json
from tailc.forms.budget_table import allowance
from tests.tailc.artifact.published import VECTORS, changed_json
from tests.tailc.artifact.random_policies import random_budget_policy
from tests.tailc.artifact.versions_case import RELEASED

POLICY = RELEASED / "1.11" / "kit.tailc"


@given(st.integers(0, 2**32))
def test_random_tables_are_looked_up_as_by_the_form(seed: int) -> None:
    policy = random_budget_policy(Random(seed))
    table = policy.budget_table
    assert table is not None
    firsts = [row.first_decoding for row in table.rows], table.first_waiting
    around = [{max(one + off, 0) for one in each for off in (-1, 0, 1)} for each in firsts]
    for data in (encode_flat(policy), encode_json(policy)):
        opened = policy_from(data)
        assert isinstance(opened, BudgetTable)
        for state in itertools.product(*around):
            cell = allowance(table, *state)
            assert opened.lookup(*state) == (cell.budget, cell.new_sequences)


def test_a_table_has_the_limits_of_its_engine_and_negative_numbers_count_as_0() -> None:
    table = open_budget_table(POLICY)
    assert (table.kv_blocks, table.block_tokens, table.max_sequences) == (600, 16, 16)
    assert table.lookup(-1, -1) == table.lookup(0, 0)
    assert watch_budget_table(POLICY).current.lookup(3, 500) == table.lookup(3, 500)


def test_a_policy_has_a_budget_table_or_another_form() -> None:
    with pytest.raises(OtherForm, match="has a budget table, not ladders"):
        open_policy(POLICY)
    with pytest.raises(OtherForm, match="has ladders, not a budget table"):
        open_budget_table(VECTORS / "lucene.tailc")


def _set(path: tuple[str | int, ...], value: Any) -> Any:
    def change(document: dict[str, Any]) -> None:
        place: Any = document["forms"][0]
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value

    return change


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("first_waiting",), []),
        (("first_waiting", 0), 1),
        (("first_waiting", 1), 0),
        (("rows",), []),
        (("rows", 0, "first_decoding"), 1),
        (("rows", 0, "new_sequences"), 0),
        (("rows", 1, "new_sequences"), -1),
        (("rows", 1, "budgets"), [1]),
        (("rows", 1, "budgets", 0), -1),
        (("rows", 0, "budgets", 0), 0),
        (("engine", "kv_blocks"), 0),
        (("engine", "block_tokens"), 2**26),
        (("engine", "step", "fixed_ns"), 0),
        (("engine", "step", "prompt", "knots"), [0]),
        (("engine", "step", "prompt", "knots", 0), 1),
        (("engine", "step", "prompt", "time_ns", 1), -1),
    ],
)
def test_a_table_that_contradicts_itself_is_refused(path, value) -> None:
    with pytest.raises(BadMeaning):
        policy_from(changed_json(_set(path, value), name="../../released/1.11/kit"))
