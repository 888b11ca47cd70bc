"""What a core holds when it asks a tail table for its level: edges of the table, and draws."""

from __future__ import annotations

from random import Random
from typing import Any, NamedTuple

LARGEST = 2**53 - 1
QUERIES_PER_TABLE = 400
OUTPUTS_PPM = (1_000_000, 500_000, 1_500_000, 999_999, 2_000_000, 0, 1, 1_234_567)
# Shares of the draws.
_WITHIN, _AT_AN_EDGE = 0.95, 0.5
_PPM = 1_000_000
_NS_PER_US = 1_000
_KHZ_NS_PER_CYCLE = 1_000_000


class Query(NamedTuple):
    """Ages of the requests of a core, the running one's first; what that one has had; an output."""

    ages_ns: tuple[int, ...]
    elapsed_cycles: int
    elapsed_memory_ns: int
    output_ppm: int


def queries_for(table: dict[str, Any], is_scaled: bool, rng: Random) -> list[Query]:
    """Edges of rows first, queues that are too long, then draws; half of the ages are such that one
    more nanosecond, or one less, asks for another level.
    """
    cycles, memory = (
        _around([row["from_elapsed"] for row in table[name]]) for name in ("cycles", "memory_ns")
    )
    most = len(table["cycles"][0]["left"])
    queries = [Query((0,), elapsed, 0, _PPM) for elapsed in cycles]
    queries += [Query((0,), 0, elapsed, _PPM) for elapsed in memory]
    queries += [Query((0,) * count, 0, 0, _PPM) for count in (most, most + 1, most + 5)]
    while len(queries) < QUERIES_PER_TABLE:
        output = OUTPUTS_PPM[len(queries) % len(OUTPUTS_PPM)] if is_scaled else _PPM
        elapsed = _near(cycles, rng), _near(memory, rng)
        count = rng.randint(1, most if rng.random() < _WITHIN else most + 1)
        ages = sorted(_age(table, place, elapsed, output, rng) for place in range(count))
        queries.append(Query(tuple(reversed(ages)), *elapsed, output))
    return queries


def _age(
    table: dict[str, Any], place: int, elapsed: tuple[int, int], output_ppm: int, rng: Random
) -> int:
    """Any up to the bound and a little more, or one at which a level is just enough."""
    bound_ns = table["bound_us"] * output_ppm // _NS_PER_US
    if place == len(table["cycles"][0]["left"]) or rng.random() > _AT_AN_EDGE:
        return rng.randrange(bound_ns + bound_ns // 8 + 2)
    row = rng.choice([row for row in table["cycles"] if row["from_elapsed"] <= elapsed[0]])
    held = rng.choice([row for row in table["memory_ns"] if row["from_elapsed"] <= elapsed[1]])
    frequency_khz = rng.choice(table["levels"])["frequency_khz"]
    takes_ns = -(-row["left"][place] * _KHZ_NS_PER_CYCLE // frequency_khz)
    edge = bound_ns - held["left"][place] - takes_ns
    return min(max(edge + rng.randint(-1, 1), 0), LARGEST)


def _around(values: list[int]) -> list[int]:
    near = {value + step for value in values for step in (-1, 0, 1)}
    return sorted(value for value in near if 0 <= value <= LARGEST)


def _near(edges: list[int], rng: Random) -> int:
    """An edge, or a number between the smallest and a little above the largest."""
    if rng.random() < _AT_AN_EDGE:
        return rng.choice(edges)
    return min(rng.randrange(edges[-1] + edges[-1] // 4 + 2), LARGEST)
