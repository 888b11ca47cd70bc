"""Every kind that emits token budgets: their look-ups, verdicts and differences."""

from __future__ import annotations

import dataclasses
import itertools
import json

import pytest
import tailc_runtime

from tailc.artifact.files import write_policy
from tailc.forms.budget_table import BudgetTable, allowance


@pytest.fixture
def budgets(compiled) -> BudgetTable:
    found = compiled.policy.budget_table
    if found is None:
        pytest.skip(f"kind `{compiled.policy.kind}` emits no token budgets")
    return found


def states(table: BudgetTable) -> list[tuple[int, int]]:
    """Decoding sequences and waiting tokens on both sides of every number of the table."""
    firsts = [row.first_decoding for row in table.rows], table.first_waiting
    around = [{max(one + off, 0) for one in each for off in (-1, 0, 1)} for each in firsts]
    return sorted(itertools.product(*around))


def test_every_look_up_of_a_budget_gives_the_same_answer(compiled, budgets):
    for suffix in (".tailc", ".json"):
        embedded = tailc_runtime.open_budget_table(compiled.stem.with_suffix(suffix))
        for state in states(budgets):
            cell = allowance(budgets, *state)
            assert embedded.lookup(*state) == (cell.budget, cell.new_sequences), state


def test_the_command_line_looks_up_budgets_as_the_library_does(compiled, budgets, tailc):
    decoding, waiting = states(budgets)[-1]
    words = ("--decoding", decoding, "--waiting-tokens", waiting, "--output-format", "json")
    result = json.loads(tailc("lookup", compiled.stem, *words).out)["result"]
    cell = allowance(budgets, decoding, waiting)
    assert (result["budget"], result["new_sequences"]) == (cell.budget, cell.new_sequences)
    assert result["prompt_tokens"] == max(cell.budget - decoding, 0)


def test_verify_judges_budgets_alike_on_any_number_of_threads(compiled, budgets, tailc):
    words = ("verify", compiled.stem, "--trace", compiled.case.held_out, "--replicates", "60")
    outcomes = [tailc(*words, "--threads", n) for n in (1, 2)]
    assert outcomes[0] == outcomes[1]
    assert outcomes[0].code in (0, 1, 4)


def test_a_policy_differs_from_one_with_another_budget(compiled, budgets, tailc, tmp_path):
    first, *others = budgets.rows
    larger = dataclasses.replace(first, budgets=(first.budgets[0] + 1, *first.budgets[1:]))
    changed = dataclasses.replace(budgets, rows=(larger, *others))
    write_policy(dataclasses.replace(compiled.policy, forms=(changed,)), tmp_path / "changed")
    words = (compiled.stem, tmp_path / "changed", "--exit-code", "--output-format", "json")
    ended = tailc("diff", *words)
    assert ended.code == 2
    (change,) = json.loads(ended.out)["result"]["forms"]["budget_table"]
    assert change["what"] == "from 0 decoding sequences"
