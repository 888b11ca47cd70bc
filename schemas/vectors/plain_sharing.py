"""How requests share what they draw on, written as plainly as it can be, over plain JSON."""

from __future__ import annotations

from random import Random
from typing import Any

COLUMNS = (
    *("request_class", "in_use_ppm", "waited_us", "executed_us"),
    *("start_unit", "starts", "gives_up"),
)
LARGEST = 2**53 - 1
# Of ladders without a rule one is asked too.
NAMES = ("lucene", "sharing", "sharing-arrival", "sharing-power", "sharing-limits")
_QUERIES = 80


def rows_of_sharing(name: str, document: dict[str, Any]) -> list[list[Any]]:
    """Questions and answers for each ladder of a policy."""
    rows: list[list[Any]] = []
    for ladder in document["forms"]:
        rng = Random(f"{name}/{ladder.get('request_class', '')}")
        for query in _queries(ladder.get("sharing", {}), rng):
            rows.append([ladder.get("request_class", ""), *query, *_answer(ladder, *query)])
    return rows


def _answer(ladder: dict[str, Any], in_use_ppm: int, waited_us: int, executed_us: int) -> list[Any]:
    """Nothing as the unit where starts do not go by what is in use."""
    told, start_unit, starts, gives_up = ladder.get("sharing", {}), "", 1, 0
    if "start-below" in ladder["rules"]:
        start_unit = told["start_unit"]
        if in_use_ppm >= told["start_below_ppm"]:
            starts = 0
    age_us = executed_us
    if "age-from-arrival" in ladder["rules"]:
        age_us = executed_us + waited_us
    if "give-up" in ladder["rules"] and age_us >= told["give_up_us"]:
        gives_up = 1
    return [start_unit, starts, gives_up]


def _queries(told: dict[str, int], rng: Random) -> list[tuple[int, int, int]]:
    """At every edge and beside it, with a wait that may make up for what was not executed."""
    in_use = _beside([0, told.get("start_below_ppm", 1_000_000)])
    ages = _beside([0, told.get("give_up_us", 1_000_000)])
    queries = [(taken, 0, 0) for taken in in_use] + [(0, 0, age) for age in ages]
    while len(queries) < _QUERIES:
        age = rng.choice(ages)
        waited = rng.choice((0, 1, age // 2, age))
        queries.append((rng.choice(in_use), waited, max(age - rng.choice((0, waited)), 0)))
    return queries


def _beside(edges: list[int]) -> list[int]:
    near = {edge + step for edge in edges for step in (-1, 0, 1)}
    return sorted(value for value in near if 0 <= value <= LARGEST)
