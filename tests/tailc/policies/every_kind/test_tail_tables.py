"""Every kind that emits a tail table: its look-ups, verdicts and differences."""

from __future__ import annotations

import dataclasses
import itertools
import json

import pytest
import tailc_runtime

from tailc.artifact.files import write_policy
from tailc.forms.controller import first_state, output_ppm
from tailc.forms.tail_table import PPM, QueuedRequests, TailTable, level_for

QUICK = ("--requests", "2000", "--replicates", "60", "--no-progress")


@pytest.fixture
def tail_table(compiled) -> TailTable:
    found = compiled.policy.tail_table
    if found is None:
        pytest.skip(f"kind `{compiled.policy.kind}` emits no tail table")
    return found


def queues(table: TailTable) -> list[QueuedRequests]:
    """Queues on both sides of every elapsed work that the table states, and of its positions."""
    ages = [0, table.bound_us * 300, table.bound_us * 900, table.bound_us * 1_000]
    held = [(age,) * size for age in ages for size in (1, 2, table.positions, table.positions + 1)]
    edges = [
        sorted({0, *(max(row.from_elapsed + off, 0) for row in rows for off in (-1, 0, 1))})
        for rows in (table.cycles, table.memory_ns)
    ]
    elapsed = itertools.zip_longest(*edges, fillvalue=0)
    return [QueuedRequests(ages, *each) for each in elapsed for ages in held]


def test_every_look_up_of_a_level_gives_the_same_answer(compiled, tail_table):
    control = compiled.policy.controller
    scale_ppm = output_ppm(control, first_state(control)) if control else None
    embedded = tailc_runtime.open_tail_table(compiled.stem.with_suffix(".tailc"))
    for each in queues(tail_table):
        level = level_for(tail_table, each, scale_ppm or PPM)
        state = (each.ages_ns, each.elapsed_cycles, each.elapsed_memory_ns)
        assert embedded.level(*state) == level, each


def test_the_command_line_looks_up_levels_as_the_library_does(compiled, tail_table, tailc):
    ages_us = (tail_table.bound_us // 2, tail_table.bound_us // 4)
    words = [word for age in ages_us for word in ("--held", f"{age}us")]
    ended = tailc("lookup", compiled.stem, *words, "--output-format", "json")
    level = level_for(tail_table, QueuedRequests(tuple(age * 1_000 for age in ages_us)))
    assert json.loads(ended.out)["result"]["level"] == level


def test_higher_frequencies_cost_more(tail_table):
    powers = [level.power_mw for level in tail_table.levels]
    assert powers == sorted(powers)


def test_verify_judges_a_tail_table_alike_on_any_number_of_threads(compiled, tail_table, tailc):
    words = ("verify", compiled.stem, "--trace", compiled.case.held_out, *QUICK)
    outcomes = [tailc(*words, "--threads", n) for n in (1, 2)]
    assert outcomes[0].out == outcomes[1].out
    assert outcomes[0].code == outcomes[1].code
    assert outcomes[0].code in (0, 1, 4)


def test_a_policy_differs_from_one_with_another_bound(compiled, tail_table, tailc, tmp_path):
    longer = dataclasses.replace(tail_table, bound_us=tail_table.bound_us + 1)
    forms = (longer, *compiled.policy.forms[1:])
    write_policy(dataclasses.replace(compiled.policy, forms=forms), tmp_path / "changed")
    ended = tailc("diff", compiled.stem, tmp_path / "changed", "--exit-code")
    assert ended.code == 2
