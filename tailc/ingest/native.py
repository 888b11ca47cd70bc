"""Native histograms of Prometheus, whose bucket bounds grow by a constant factor.

With schema n, bucket i is from b^(i - 1) to b^i, b = 2^(2^-n), n from -4 to 8; the zero bucket has
the values within a threshold, and begins at 0 if no value is negative. Custom buckets are like
those of a classic histogram.

Source: Prometheus documentation, "Native histograms".
"""

from __future__ import annotations

import math
from collections.abc import Collection

from tailc.ingest.scraped_histograms import Bounds
from tailc.traces.counted_times import Grain

SCHEMAS = range(-4, 9)
# Bounds are written so that they are read back to the bit; a logarithm of one is off by less.
_ALIKE = 1e-9


def upper_bound(schema: int, index: int) -> float:
    """Upper bound of bucket `index` of a native Prometheus histogram.

    Infinite or 0 if it is outside the range of floats.
    """
    doublings, part = divmod(index, 1 << schema) if schema > 0 else (index << -schema, 0)
    try:
        return math.ldexp(2.0 ** (part / (1 << max(schema, 0))), doublings)
    except OverflowError:
        return math.inf


def within_of(bounds: Collection[Bounds]) -> Grain:
    """Choose how to interpolate in the buckets of a histogram with these bounds, as Prometheus."""
    apart = [(lower, upper) for lower, upper in bounds if lower > 0 and not math.isinf(upper)]
    if any(math.isinf(lower) for lower, _ in bounds) or not apart:
        return Grain.LINEAR
    if any(_are_of(schema, apart) for schema in SCHEMAS):
        return Grain.EXPONENTIAL
    return Grain.LINEAR


def _are_of(schema: int, bounds: list[Bounds]) -> bool:
    """Whether each bucket ends at a bound of the schema, and begins at the previous bound or later.

    The first may begin later, at the end of the zero bucket.
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
