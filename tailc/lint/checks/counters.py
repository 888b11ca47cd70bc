"""Checks of cycles and memory time from performance counters."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from tailc.errors import Severity
from tailc.lint.defect import Sighting, check, first_rows
from tailc.lint.views import CounterRows

_FEWEST = 20
_RISES = 0.98
# Counters have 32 bits at least, and no request has thousands of times the work of others.
_WRAPPED, _TIMES_MEDIAN = 2.0**31, 1_000
_FIXED = 1e-3
# At the clocks that cores have, less is no request: a third of a microsecond.
_FEW_CYCLES = 1_000


def _total(counters: CounterRows) -> Iterator[Sighting]:
    steps = np.diff(counters.cycles)
    if len(steps) >= _FEWEST and (steps > 0).mean() >= _RISES:
        yield Sighting(
            "cycles increase from row to row, as in a running total", column=counters.column
        )


def _wrapped_counters(counters: CounterRows) -> Iterator[Sighting]:
    found = counters.cycles >= max(_WRAPPED, _TIMES_MEDIAN * float(np.median(counters.cycles)))
    if found.any():
        rows = first_rows(counters.row, found)
        message = f"{int(counters.cycles.max()):,} cycles are at least a thousand times the median"
        yield Sighting(message, int(found.sum()), rows, column=counters.column)


def _no_memory(counters: CounterRows) -> Iterator[Sighting]:
    if not counters.memory.any():
        yield Sighting("the memory time of all requests is 0", column=counters.memory_column)


def _fixed_share(counters: CounterRows) -> Iterator[Sighting]:
    known = counters.cycles > 0
    if known.sum() < _FEWEST or not np.ptp(counters.cycles[known]):
        return
    share = counters.memory[known] / counters.cycles[known]
    if share.mean() > 0 and share.std() <= _FIXED * share.mean():
        message = "memory time is the same share of the cycles in all rows"
        yield Sighting(message, column=counters.memory_column)


def _few(counters: CounterRows) -> Iterator[Sighting]:
    median = float(np.median(counters.cycles))
    if 0 < median < _FEW_CYCLES:
        yield Sighting(
            f"half of the requests have {median:g} cycles or less", column=counters.column
        )


_check = partial(check, CounterRows, 1900)
CHECKS = (
    _check(
        1,
        "running-total",
        Severity.ERROR,
        _total,
        "cycles only increase, like a running counter",
        "each request has all cycles since the counter started, so none looks short",
        "read the counter before and after a request, and write the difference",
    ),
    _check(
        2,
        "wrapped-counter",
        Severity.ERROR,
        _wrapped_counters,
        "cycles are thousands of times those of other requests",
        "a counter that overflows within a request gives a value near its maximum",
        "compute differences modulo the counter's width, or leave those rows out",
    ),
    _check(
        3,
        "no-memory-time",
        Severity.WARNING,
        _no_memory,
        "the memory time of all requests is 0",
        "the effect of a lower frequency is overestimated, so frequencies are too high",
        "count stalls too, for example with `cycle_activity.stalls_mem_any`",
    ),
    _check(
        4,
        "fixed-memory-share",
        Severity.WARNING,
        _fixed_share,
        "memory time is a fixed part of the cycles",
        "it was computed from a mean and not measured, so all requests have the same share",
        "count the stalls of each request",
    ),
    _check(
        5,
        "few-cycles",
        Severity.WARNING,
        _few,
        "requests have very few cycles",
        "the unit is thousands or millions of cycles, or time, so no request is long",
        "write cycles, or correct the column's name",
    ),
)
