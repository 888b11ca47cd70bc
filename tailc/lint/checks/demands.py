"""Checks of the distribution of demands."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

import numpy as np

from tailc.errors import Severity
from tailc.lint.defect import Sighting, check, first_rows
from tailc.lint.demand_rows import DemandRows

# Fewer tell nothing of a distribution.
ENOUGH = 100
_AT_END_SHARE, _AT_END_TIMES = 0.002, 10
_NEAR_END, _NEAR_SHARE = 0.01, 0.01
_USUAL_TIE_SHARE = 0.1
_FEW_VALUES = 20
_UNITS_APART = 1_000
# Least width of the empty range between two groups of demands, in powers of ten: at any distance,
# and where the medians of the groups differ by a factor of a thousand.
_EMPTY, _EMPTY_AT_THOUSAND = 1.0, 0.3
_JUST, _STANDARD_ERRORS = 0.02, 2.0
# Standard error of a median over that of the mean, of a normal law.
_OF_MEDIAN = 1.2533
_CLUSTER_SHARE = 0.01
_OUTLIER_TIMES = 20
_WIDE_VALLEY, _DEEP_VALLEY = 0.1, 0.25
_BINS = 24
_TICKS_MS = {15.625: "Windows", 10.0: "a jiffy of 100 Hz", 4.0: "a jiffy of 250 Hz"}
_COARSE_SHARE = 0.05
_WEIGHTY = 0.1


def _values(requests: DemandRows) -> tuple[np.ndarray, np.ndarray]:
    """The distinct demands, ascending, and the requests that have each."""
    if (requests.weight == 1).all():
        value, count = np.unique(requests.demand, return_counts=True)
        return value, count.astype(np.float64)
    value, at = np.unique(requests.demand, return_inverse=True)
    return value, np.bincount(at, weights=requests.weight)


def _constant(requests: DemandRows) -> Iterator[Sighting]:
    if requests.requests > 1 and np.ptp(requests.demand) == 0:
        message = f"all {requests.requests:,} demands are {requests.demand[0]:g}"
        yield Sighting(message, column=requests.column)


def _piled_demands(requests: DemandRows, at: int) -> Iterator[Sighting]:
    """Many requests at the largest (-1) or smallest (0) demand, and few near it."""
    value, count = _values(requests)
    if requests.requests < ENOUGH or len(value) < _FEW_VALUES:
        return
    most = max(_AT_END_SHARE * requests.requests, _AT_END_TIMES * float(np.median(count)))
    next_largest = float(count[-_FEW_VALUES:-1].max() if at else count[1:_FEW_VALUES].max())
    if count[at] >= max(most, _AT_END_TIMES, 5 * next_largest):
        found = requests.demand == value[at]
        end = "largest" if at else "smallest"
        message = (
            f"{count[at]:,.0f} of {requests.requests:,} demands have the {end} value, {value[at]:g}"
        )
        rows = first_rows(requests.row, found) if requests.is_ordered else ()
        yield Sighting(message, int(found.sum()), rows, column=requests.column)


def _at_largest(requests: DemandRows) -> Iterator[Sighting]:
    exactly = list(_piled_demands(requests, -1))
    yield from exactly or _near_largest(requests)


def _near_largest(requests: DemandRows) -> Iterator[Sighting]:
    """Many requests just below the largest demand and few below these: a timeout with a coarse
    timer."""
    largest = float(requests.demand.max(initial=0.0))
    near = requests.demand >= (1 - _NEAR_END) * largest
    below = (requests.demand >= (1 - 2 * _NEAR_END) * largest) & ~near
    number, before = (int(requests.weight[chosen].sum()) for chosen in (near, below))
    least = max(_NEAR_SHARE * requests.requests, _AT_END_TIMES, 5 * before)
    if requests.is_ordered and least <= number <= requests.requests / 2:
        message = f"{number:,} of {requests.requests:,} demands are within {_NEAR_END:.0%} of the "
        message += f"largest, {largest:g}"
        rows = first_rows(requests.row, near)
        yield Sighting(message, int(near.sum()), rows, column=requests.column)


def _at_least(requests: DemandRows) -> Iterator[Sighting]:
    yield from _piled_demands(requests, 0)


def _ties(requests: DemandRows) -> Iterator[Sighting]:
    value, count = _values(requests)
    inner = count[1:-1]
    if requests.requests < ENOUGH or len(value) < _FEW_VALUES:
        return
    if inner.max() > _USUAL_TIE_SHARE * requests.requests:
        at = int(np.argmax(inner)) + 1
        message = f"{count[at]:,.0f} of {requests.requests:,} demands are {value[at]:g}"
        yield Sighting(message, column=requests.column)


def _few_values(requests: DemandRows) -> Iterator[Sighting]:
    value, _count = _values(requests)
    if requests.is_ordered and requests.requests >= ENOUGH and 1 < len(value) < _FEW_VALUES:
        message = f"{requests.requests:,} demands have {len(value)} different values"
        yield Sighting(message, column=requests.column)


def _coarse(requests: DemandRows) -> Iterator[Sighting]:
    value, _count = _values(requests)
    if requests.requests < ENOUGH or len(value) < 2:
        return
    step = float(np.diff(value).min())
    parts = value / step
    is_grid = np.allclose(parts, np.rint(parts), rtol=0, atol=1e-3)
    median = float(np.median(requests.demand))
    if is_grid and step > _COARSE_SHARE * median:
        step_ms = step * requests.in_ms
        known = next((name for tick, name in _TICKS_MS.items() if math.isclose(tick, step_ms)), "")
        of = f", the tick of {known}" if known else ""
        ticks = f"{median / step:.3g} of them"
        message = f"demands are multiples of {step_ms:g} ms{of}; the median is {ticks}"
        yield Sighting(message, column=requests.column)


def _two_units(requests: DemandRows) -> Iterator[Sighting]:
    """Two clusters with nothing between, a factor of a thousand apart."""
    ascending = np.sort(requests.demand)
    logs = np.log10(ascending)
    fewest = math.ceil(_CLUSTER_SHARE * len(logs))
    # Gaps with at least `fewest` demands on each side.
    gaps = np.diff(logs)[fewest - 1 : len(logs) - fewest]
    if requests.requests < ENOUGH or not len(gaps):
        return
    at = int(np.argmax(gaps)) + fewest
    low, high = logs[:at], logs[at:]
    powers = float(np.median(high) - np.median(low))
    apart, off = 10**powers, abs(powers - math.log10(_UNITS_APART))
    errors = (float(one.std()) / math.sqrt(len(one)) for one in (low, high))
    error = _OF_MEDIAN * math.hypot(*errors)
    is_just = off < _JUST + _STANDARD_ERRORS * error
    empty = float(gaps.max())
    if (empty > _EMPTY and off < math.log10(4)) or (empty > _EMPTY_AT_THOUSAND and is_just):
        is_high = requests.demand >= ascending[at]
        found = ~is_high if len(low) <= len(high) else is_high
        message = (
            f"two groups of demands differ by a factor of {apart:,.0f}, with no demand between them"
        )
        number = min(len(low), len(high))
        yield Sighting(message, number, first_rows(requests.row, found), column=requests.column)


def _outlier(requests: DemandRows) -> Iterator[Sighting]:
    value, count = _values(requests)
    if (
        requests.requests >= ENOUGH
        and len(value) > 1
        and count[-1] == 1
        and (value[-1] > _OUTLIER_TIMES * value[-2])
    ):
        rows = first_rows(requests.row, requests.demand == value[-1])
        message = f"demand `{value[-1]:g}` is {value[-1] / value[-2]:.0f} times the next largest"
        yield Sighting(message, rows=rows, column=requests.column)


def _bimodal(requests: DemandRows) -> Iterator[Sighting]:
    if requests.requests < ENOUGH:
        return
    logs = np.log(requests.demand)
    if np.ptp(logs) == 0:
        return
    count, edges = np.histogram(logs, _BINS, weights=requests.weight)
    smooth = np.convolve(count, [0.25, 0.5, 0.25], "same")
    for at in range(2, _BINS - 2):
        left, right = smooth[:at].max(), smooth[at + 1 :].max()
        mass = min(count[:at].sum(), count[at + 1 :].sum())
        if smooth[at] < _DEEP_VALLEY * min(left, right) and mass > _WIDE_VALLEY * count.sum():
            valley = math.exp((edges[at] + edges[at + 1]) / 2)
            message = f"demands have two peaks, below and above {valley:.3g}"
            yield Sighting(message, column=requests.column)
            return


def _heavy(requests: DemandRows) -> Iterator[Sighting]:
    share = requests.weight / requests.requests
    found = share > _WEIGHTY
    if requests.is_ordered and len(share) > _FEW_VALUES and found.any():
        rows = first_rows(requests.row, found)
        message = f"one row represents {share.max():.0%} of all requests"
        yield Sighting(message, int(found.sum()), rows, column=requests.column)


_ERROR, _WARNING, _NOTE = Severity.ERROR, Severity.WARNING, Severity.NOTE


_check = partial(check, DemandRows, 1200)

CHECKS = (
    _check(
        1,
        "constant-demand",
        _ERROR,
        _constant,
        "all demands are the same",
        "if no request is longer than another, a policy cannot reduce the tail",
        "check that the column is the measured time of each request",
    ),
    _check(
        2,
        "cut-at-timeout",
        _WARNING,
        _at_largest,
        "many demands are equal to the largest",
        "they were cut off, so the policy gives the longest requests less than they need",
        "measure without the timeout, or with a longer one",
    ),
    _check(
        3,
        "cut-at-least",
        _WARNING,
        _at_least,
        "many demands are equal to the smallest",
        "short requests were raised to the resolution of the clock or the logger",
        "measure with a finer clock, if short requests matter",
    ),
    _check(
        4,
        "frequent-value",
        _NOTE,
        _ties,
        "a tenth of the demands have the same value",
        "requests from a cache or with an early answer are a class with another speed-up",
        "give those requests a class, or leave them out",
    ),
    _check(
        5,
        "few-values",
        _WARNING,
        _few_values,
        "demands have few different values",
        "a percentile jumps between them, so chance decides whether an SLO is met",
        "measure with a finer clock, or log times instead of buckets",
    ),
    _check(
        6,
        "coarse-clock",
        _WARNING,
        _coarse,
        "demands are multiples of a coarse tick",
        "ages of climbs are computed from rounded times",
        "measure with a monotonic clock in nanoseconds or microseconds",
    ),
    _check(
        7,
        "two-units",
        _WARNING,
        _two_units,
        "two groups of demands differ by a factor of a thousand",
        "if one group is in another unit, the tail has the wrong requests",
        "write the trace in one unit",
    ),
    _check(
        8,
        "outlier",
        _WARNING,
        _outlier,
        "one demand is many times the next largest",
        "a single request determines the last rung and its cost",
        "find out what it was, and leave it out if it was not a request",
    ),
    _check(
        9,
        "two-humps",
        _NOTE,
        _bimodal,
        "demands have two peaks",
        "two kinds of requests share a speed-up curve that is wrong for one of them",
        "add a column with a class, if their speed-ups differ",
    ),
    _check(
        10,
        "heavy-row",
        _WARNING,
        _heavy,
        "one row represents a tenth of all requests",
        "its rounding error affects the whole distribution",
        "log one request per row, or use finer bins",
    ),
)
