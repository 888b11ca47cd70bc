"""Tests that one policy passes and another fails: look-ups with different answers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tailc.cli.lookup_command import look_up

if TYPE_CHECKING:
    from tailc.artifact.envelope import Policy
    from tailc.forms.ladder.table import Ladder

# A look-up: the option of `tailc lookup` of each parameter, with its value in a file of tests.
Query = Mapping[str, tuple[str, Any, Any]]
MOST_WITNESSES = 10
# Look-ups that are compared; a larger table is compared at every n-th row.
_MOST_QUERIES = 20_000
_NS_PER_US = 1_000
_HEAD = "apiVersion: tailc/v1\nkind: policy-tests\npolicy: {}\ntests:\n"


def write_witnesses(policies: tuple[Policy, Policy], name: str, path: Path) -> int:
    """Write a file of tests that the new policy passes and the old one fails; return their number.

    name: the new policy in the file. Raises TailcError if the policies have no tables of one form,
    if all compared look-ups have the same answers, or if the file cannot be written.
    """
    from tailc.atomic_files import replace_files

    tests = [_test(query, new) for query, new in _spread(list(_differences(policies)))]
    if not tests:
        raise _no_witness("no look-up was found that has different answers")
    lines = [f"  - {json.dumps(test)}\n" for test in tests]
    content = _HEAD.format(json.dumps(name)) + "".join(lines)
    replace_files([(path, content.encode())])
    return len(tests)


def _no_witness(message: str) -> Exception:
    from tailc.errors import Code, Finding, TailcError

    hint = "remove `--witnesses`, which needs tables of one form with different answers"
    return TailcError(Finding(Code.CONFLICT, message, help=hint))


def _spread(found: list[Any]) -> list[Any]:
    """At most ten, from all parts of the table."""
    count = min(len(found), MOST_WITNESSES)
    return [found[number * len(found) // count] for number in range(count)]


def _differences(policies: tuple[Policy, Policy]) -> Iterator[tuple[Query, dict[str, Any]]]:
    """Each query with other answers, and the members of the new answer that differ."""
    old, new = policies
    for query in _queries(old, new):
        options = {option: value for option, (_, value, _) in query.items()}
        before, after = (look_up(one, options).result for one in (old, new))
        changed = {key: value for key, value in after.items() if before.get(key) != value}
        if changed:
            yield query, changed


def _test(query: Query, changed: dict[str, Any]) -> dict[str, Any]:
    words = {word: text for word, _, text in query.values()}
    name = ", ".join(f"{word} {text}" for word, text in words.items())
    return {"name": name, "lookup": words, "expect": changed}


def _queries(old: Policy, new: Policy) -> Iterator[Query]:
    """Look-ups at the edges of all cells of both policies."""
    if old.ladders and new.ladders:
        for form in new.ladders:
            before = [one for one in old.ladders if one.request_class == form.request_class]
            if before and before[0].load_axis is form.load_axis:
                yield from _ladder_queries(before[0], form)
    elif old.tail_table is not None and new.tail_table is not None:
        tables = old.tail_table, new.tail_table
        cycles = _sorted(row.from_elapsed for table in tables for row in table.cycles)
        memory = _sorted(row.from_elapsed for table in tables for row in table.memory_ns)
        # A time of the command is in microseconds; an edge within one belongs to the next.
        memory_us = _sorted(-(-edge_ns // _NS_PER_US) for edge_ns in memory)
        for spent, waited_us in product(cycles, memory_us):
            yield {
                "held": ("held", (0,), ["0ms"]),
                "cycles": ("cycles", spent, spent),
                "memory": ("memory", waited_us, f"{waited_us}us"),
            }
    elif old.budget_table is not None and new.budget_table is not None:
        budgets = old.budget_table, new.budget_table
        decoding = _sorted(row.first_decoding for table in budgets for row in table.rows)
        waiting = _sorted(edge for table in budgets for edge in table.first_waiting)
        for sequences, tokens in product(decoding, waiting):
            yield {
                "decoding": ("decoding", sequences, sequences),
                "waiting_tokens": ("waiting-tokens", tokens, tokens),
            }
    else:
        raise _no_witness("the policies have no tables of one form")


def _ladder_queries(old: Ladder, new: Ladder) -> Iterator[Query]:
    """Look-ups of requests that do not wait, of every age, and of ones that have not started."""
    from tailc.forms.ladder.table import LoadAxis

    forms = old, new
    loads = _sorted(row.first_load for form in forms for row in form.rows)
    ages = _sorted(climb.age_us for form in forms for row in form.rows for climb in row.climbs)
    step = 1 + len(loads) * len(ages) // _MOST_QUERIES
    of_class = (
        {}
        if new.request_class is None
        else {"request_class": ("class", new.request_class, new.request_class)}
    )
    for load, age_us in product(loads[::step], ages):
        at_load = (
            {"in_system": ("in-system", load, load)}
            if new.load_axis is LoadAxis.IN_SYSTEM
            else {"rate": ("rate", load, f"{load / 1_000:g}/s")}
        )
        yield {**of_class, **at_load, "age": ("age", age_us, f"{age_us}us")}


def _sorted(edges: Iterator[int]) -> list[int]:
    return sorted(set(edges))
