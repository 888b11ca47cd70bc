"""Checks of throughput of machines and their shares of the host."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from tailc.errors import Severity
from tailc.lint.defect import Sighting, check, first_rows
from tailc.lint.views import Machines
from tailc.traces.throughput import Series

_FEWEST = 20
_WHOLE_HOST = 1.01
_RISES, _SPIKE, _STUCK_ROWS = 0.98, 5.0, 8
_SOME = 0.1

Marks = NDArray[np.bool_]


def _of_each(
    field: str, message: str, find: Callable[[Series], Marks], machines: Machines
) -> Iterator[Sighting]:
    """A sighting for each machine with rows that `find` selects."""
    for each in machines.trace.series:
        found = find(each)
        if found.any():
            rows = first_rows(each.row, found)
            column = getattr(machines.trace.reading.columns, field)
            yield Sighting(f"`{each.name}` {message}", int(found.sum()), rows, column=column)


def _first(series: Series, is_so: bool) -> Marks:
    """The first row, if all rows together satisfy the condition."""
    return (np.arange(len(series.row)) == 0) & is_so


def _constant(series: Series) -> Marks:
    return _first(series, bool(np.ptp(series.share) == 0))


def _overfull(machines: Machines) -> Iterator[Sighting]:
    every = machines.trace.series
    time_us = np.concatenate([each.time_us for each in every])
    share = np.concatenate([each.share for each in every])
    row = np.concatenate([each.row for each in every])
    _time, which = np.unique(time_us, return_inverse=True)
    total = np.bincount(which, weights=share)[which]
    found = total > _WHOLE_HOST
    if found.any():
        order = np.argsort(row)
        message = f"shares at one time add up to {total.max():.2f} of the host"
        rows, column = first_rows(row[order], found[order]), machines.trace.reading.columns.share
        yield Sighting(message, int(found.sum()), rows, column=column)


def _rising(series: Series) -> Marks:
    steps = np.diff(series.throughput)
    enough = len(steps) >= _FEWEST
    return _first(series, enough and float((steps > 0).mean()) >= _RISES)


def _spikes(series: Series) -> Marks:
    """Rows that are many times the 99th percentile."""
    if len(series.throughput) < _FEWEST:
        return np.zeros(len(series.throughput), np.bool_)
    top = np.sort(series.throughput)[-1 - max(len(series.throughput) // 100, 1)]
    return (top > 0) & (series.throughput > _SPIKE * top)


def _stuck(series: Series) -> Marks:
    """First row of each run of equal throughput with changing shares."""
    found = np.zeros(len(series.row), np.bool_)
    starts = np.flatnonzero(np.diff(series.throughput, prepend=np.nan) != 0)
    for start, end in zip(starts, [*starts[1:], len(series.row)], strict=True):
        moves = np.ptp(series.share[start:end]) > 0
        found[start] = end - start >= _STUCK_ROWS and moves and series.throughput[start] > 0
    return found


def _at_rest(series: Series) -> Marks:
    busy = series.throughput[series.share > 0]
    least = _SOME * float(np.median(busy)) if len(busy) else 0.0
    return (series.share == 0) & (series.throughput > least)


_check = partial(check, Machines, 1700)
CHECKS = (
    _check(
        1,
        "constant-share",
        Severity.ERROR,
        partial(_of_each, "share", "has the same share in all its rows", _constant),
        "a machine's share never changes",
        "the effect of another share is unknown, so no model can be fitted",
        "choose shares at random over most of the host, a new one at each step",
    ),
    _check(
        2,
        "overfull-host",
        Severity.WARNING,
        _overfull,
        "shares of machines add up to more than the host",
        "machines had less than the logged shares, so their throughput per share is wrong",
        "log the enforced shares, as parts of one host",
    ),
    _check(
        3,
        "counter-as-throughput",
        Severity.ERROR,
        partial(_of_each, "throughput", "has a throughput that only rises", _rising),
        "throughput only increases, like a counter",
        "the total work since the start is used as work per second",
        "divide the difference of successive rows by the time between them",
    ),
    _check(
        4,
        "throughput-spike",
        Severity.WARNING,
        partial(
            _of_each,
            "throughput",
            "has a throughput many times larger than in its other rows",
            _spikes,
        ),
        "a throughput is many times all others",
        "least squares fit the whole model to one row",
        "check what was counted there, and leave out that machine's rows up to it",
    ),
    _check(
        5,
        "stuck-throughput",
        Severity.WARNING,
        partial(_of_each, "throughput", "has the same throughput at different shares", _stuck),
        "throughput stays the same while the share changes",
        "a logger that hangs, or a machine with too little work, counts as a slow one",
        "give the machine more work than its largest share can do, and log again",
    ),
    _check(
        6,
        "work-without-share",
        Severity.WARNING,
        partial(_of_each, "share", "has throughput without a share", _at_rest),
        "a machine works without a share",
        "shares and throughput are from different times, so a model of both is wrong",
        "write the share since the machine's last row, and check that caps are enforced",
    ),
)
