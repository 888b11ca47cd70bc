"""Slow-to-fast thresholds as they are told: each request is followed from type to type.

Haque et al. (MICRO 2017, section 4.2). A request is on type i until age t_i; what it then still has
to do it takes along. Everything is in exact fractions, and slow.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement
from math import inf

Age = Fraction | float


def followed(demand: Fraction, speed: Sequence[Fraction], power: Sequence[Fraction], ages):
    """Latency and energy of one request; `ages` may end with infinities."""
    now, left, energy = Fraction(0), demand, Fraction(0)
    for i, s in enumerate(speed):
        until = ages[i] if i < len(ages) else inf
        if until == inf or left <= s * (until - now):
            return now + left / s, energy + power[i] * left / s
        energy += power[i] * (until - now)
        left -= s * (until - now)
        now = until
    raise AssertionError("the last type has no end")


def figures(demands, speeds, power, ages, rank: int) -> tuple[Fraction, Fraction]:
    """Mean energy and latency of the rank; each request has its own row of `speeds`."""
    rows = [followed(x, s, power, ages) for x, s in zip(demands, speeds, strict=True)]
    latencies = sorted(latency for latency, _ in rows)
    return sum(energy for _, energy in rows) / len(rows), latencies[rank - 1]


def every_ages(grid: Iterable[Age], types: int) -> Iterable[tuple[Age, ...]]:
    """All ages that do not fall, never included."""
    return combinations_with_replacement([*sorted(grid), inf], types - 1)


def best_on_grid(demands, speeds, power, grid, rank: int, target) -> Fraction | float:
    """Least mean energy of all ages on the grid that meet the target; infinite if none does."""
    best: Fraction | float = inf
    for ages in every_ages(grid, len(power)):
        energy, tail = figures(demands, speeds, power, ages, rank)
        if tail <= target:
            best = min(best, energy)
    return best
