"""Tail tables of whole-number work by enumeration, in exact fractions.

Everything is as it is printed (Bartolini, 2015, section 3.4.1): with w elapsed
P[S_0 = c] = P[S = c + w] / P[S > w], sums by adding one request after another, and the least c with
P[S_i <= c] >= beta. A row's entry is the largest for any whole w from its beginning to the next
row's that some request exceeds; between two whole w what is left only shrinks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from itertools import pairwise

Law = dict[int, Fraction]


def law(work: Iterable[int]) -> Law:
    counted = Counter(work)
    return {x: Fraction(n, counted.total()) for x, n in sorted(counted.items())}


def remaining(of: Law, w: int) -> Law:
    beyond = sum((p for x, p in of.items() if x > w), Fraction(0))
    return {x - w: p / beyond for x, p in of.items() if x > w}


def summed(first: Law, second: Law) -> Law:
    total: Law = {}
    for x, p in first.items():
        for y, q in second.items():
            total[x + y] = total.get(x + y, Fraction(0)) + p * q
    return total


def quantile(of: Law, beta: Fraction) -> int:
    upto = Fraction(0)
    for x, p in sorted(of.items()):
        upto += p
        if upto >= beta:
            return x
    raise AssertionError("a law adds up to 1")


def entry(of: Law, w: int, position: int, beta: Fraction) -> int:
    """What is left until request `position` is done, the running one having had w."""
    left = remaining(of, w)
    for _ in range(position):
        left = summed(left, of)
    return quantile(left, beta)


def begins_of(of: Law, rows: int) -> list[int]:
    """0 and the even quantiles that some request exceeds."""
    begins = {quantile(of, Fraction(k, rows)) for k in range(1, rows)} | {0}
    return sorted(x for x in begins if x < max(of))


def table(of: Law, begins: list[int], positions: int, beta: Fraction) -> list[list[int]]:
    return [
        [
            max(entry(of, w, position, beta) for w in range(begin, end))
            for position in range(positions)
        ]
        for begin, end in pairwise([*begins, max(of)])
    ]
