"""What happens to a request under overload, written as plainly as it can be, over plain JSON."""

from __future__ import annotations

from random import Random
from typing import Any

COLUMNS = (
    *("request_class", "in_system", "waited_us", "executed_us"),
    *("refused", "work_ppm", "cut_off"),
)
LARGEST = 2**53 - 1
# Of ladders without a rule one is asked too.
NAMES = ("lucene", "overload", "overload-arrival", "overload-limits")
_QUERIES = 120


def rows_of_overload(name: str, document: dict[str, Any]) -> list[list[Any]]:
    """Questions and answers for each ladder of a policy."""
    rows: list[list[Any]] = []
    for ladder in document["forms"]:
        rng = Random(f"{name}/{ladder.get('request_class', '')}")
        for query in _queries(ladder.get("overload", {}), rng):
            rows.append([ladder.get("request_class", ""), *query, *_answer(ladder, *query)])
    return rows


def _answer(ladder: dict[str, Any], in_system: int, waited_us: int, executed_us: int) -> list[int]:
    told, refused, work_ppm, cut_off = ladder.get("overload", {}), 0, 1_000_000, 0
    if "shed" in ladder["rules"] and in_system >= told["shed_from"]:
        refused = 1
    if "degrade" in ladder["rules"] and in_system >= told["degrade_from"]:
        work_ppm = told["work_ppm"]
    age_us = executed_us
    if "age-from-arrival" in ladder["rules"]:
        age_us = executed_us + waited_us
    if "cut-off" in ladder["rules"] and age_us >= told["cut_off_us"]:
        cut_off = 1
    return [refused, work_ppm, cut_off]


def _queries(told: dict[str, int], rng: Random) -> list[tuple[int, int, int]]:
    """At every edge and beside it, with a wait that may make up for what was not executed."""
    loads = _beside(
        [0, 100, *(told[name] for name in ("shed_from", "degrade_from") if name in told)]
    )
    ages = _beside([0, told.get("cut_off_us", 1_000_000)])
    queries = [(load, 0, 0) for load in loads] + [(0, 0, age) for age in ages]
    while len(queries) < _QUERIES:
        age = rng.choice(ages)
        waited = rng.choice((0, 1, age // 2, age))
        queries.append((rng.choice(loads), waited, max(age - rng.choice((0, waited)), 0)))
    return queries


def _beside(edges: list[int]) -> list[int]:
    near = {edge + step for edge in edges for step in (-1, 0, 1)}
    return sorted(value for value in near if 0 <= value <= LARGEST)
