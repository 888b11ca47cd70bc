"""Native histograms of Prometheus: buckets whose bounds grow by the same factor.

With schema n, bucket i is from b^(i - 1) to b^i, b = 2^(2^-n), n from -4 to 8; one bucket around 0
has what is within a threshold, and begins at 0 where nothing is negative. Buckets of a width of
their own (`custom`) are as those of a classic histogram.

Source: Prometheus documentation, "Native histograms".
"""

from __future__ import annotations

import math
from collections.abc import Collection

from tailc.ingest.scraped import Bounds
from tailc.traces.counted import Grain

SCHEMAS = range(-4, 9)
# Bounds are written so that they are read back to the bit; a logarithm of one is off by less.
_ALIKE = 1e-9


def upper_bound(schema: int, index: int) -> float:
    """The upper bound of bucket `index`; infinite where it is beyond all numbers, or 0 below."""
    doublings, part = divmod(index, 1 << schema) if schema > 0 else (index << -schema, 0)
    try:
        return math.ldexp(2.0 ** (part / (1 << max(schema, 0))), doublings)
    except OverflowError:
        return math.inf


def within_of(bounds: Collection[Bounds]) -> Grain:
    """How Prometheus takes requests to lie in buckets with these bounds, of one histogram."""
    apart = [(lower, upper) for lower, upper in bounds if lower > 0 and not math.isinf(upper)]
    if any(math.isinf(lower) for lower, _ in bounds) or not apart:
        return Grain.LINEAR
    if any(_are_of(schema, apart) for schema in SCHEMAS):
        return Grain.EXPONENTIAL
    return Grain.LINEAR


def _are_of(schema: int, bounds: list[Bounds]) -> bool:
    """Whether each ends where one of the schema does, and begins no earlier than that does.

    The first may begin later, where the bucket around 0 ends.
    """
    factor, first = 2.0**-schema, min(bounds)
    for lower, upper in bounds:
        index = math.log2(upper) / factor
        least = 2.0 ** (factor * (round(index) - 1))
        if abs(index - round(index)) > _ALIKE * max(1, abs(index)):
            return False
        is_later = lower > least * (1 + _ALIKE) and (lower, upper) != first
        if lower < least * (1 - _ALIKE) or is_later:
            return False
    return True
