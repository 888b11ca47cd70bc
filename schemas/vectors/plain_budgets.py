"""What the next iteration may batch, by a plain scan of a budget table in JSON."""

from __future__ import annotations

from random import Random
from typing import Any

COLUMNS = ("decoding", "waiting_tokens", "budget", "new_sequences")
_LARGEST = 2**53 - 1
_QUERIES = 160


def rows_of_budgets(name: str, table: dict[str, Any]) -> list[list[int]]:
    """Questions and answers of a table."""
    return [[*query, *_answer(table, *query)] for query in _queries(table, Random(name))]


def _answer(table: dict[str, Any], decoding: int, waiting: int) -> tuple[int, int]:
    row = [one for one in table["rows"] if one["first_decoding"] <= decoding][-1]
    columns = [first for first in table["first_waiting"] if first <= waiting]
    return row["budgets"][len(columns) - 1], row["new_sequences"]


def _queries(table: dict[str, Any], rng: Random) -> list[tuple[int, int]]:
    """Every edge once, then edges of both axes at random."""
    decoding = _around([row["first_decoding"] for row in table["rows"]])
    waiting = _around(table["first_waiting"])
    queries = [(one, 0) for one in decoding] + [(0, one) for one in waiting]
    while len(queries) < _QUERIES:
        queries.append((rng.choice(decoding), rng.choice(waiting)))
    return queries


def _around(edges: list[int]) -> list[int]:
    near = {edge + step for edge in edges for step in (-1, 0, 1)} | {_LARGEST}
    return sorted(value for value in near if value >= 0)
