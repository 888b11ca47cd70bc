"""Detect steps back of a load generator's clock: a request starts before the one sent earlier.

Rows are in the order in which requests ended, so the order of sending must be in a column.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.errors import Code, Finding, Place, Severity
from tailc.ingest.loops import starts_ns
from tailc.traces.cells import Cells, numbers
from tailc.traces.reading import TimeUnit
from tailc.units import plural

_S_PER_NS = 1e-9
# Of the requests. With more, their numbers are not in the order of sending.
_MOST_STEPS = 0.01


@dataclass(frozen=True, eq=False)
class ClockSteps:
    """Steps back of a load generator's clock in a run, at least one.

    row: row of the first request after a step. count: number of steps. longest_s: length of the
    longest step. is_steady: bool (rows,), whether the request is in the longest part of the run
    without a step.
    """

    row: int
    count: int
    longest_s: float
    is_steady: NDArray[np.bool_]


def clock_steps(cells: Cells, start: str, number: str, unit: TimeUnit) -> ClockSteps | None:
    """Find steps back of the clock in a column of start times.

    None if there are none, or if the order of sending is unknown. number: the column of the
    requests' numbers in the order of sending.
    """
    sent = _order_of_sending(cells, number)
    at_ns = starts_ns(cells, start, unit)
    if sent is None or at_ns is None:
        return None
    steps_ns = np.diff(at_ns[sent])
    first = np.flatnonzero(steps_ns < 0) + 1
    if not 0 < len(first) <= max(1, _MOST_STEPS * len(sent)):
        return None
    bounds = np.concatenate([[0], first, [len(sent)]])
    longest = int(np.argmax(np.diff(bounds)))
    is_steady = np.zeros(len(sent), np.bool_)
    is_steady[sent[bounds[longest] : bounds[longest + 1]]] = True
    row = cells.row_of(int(sent[first[0]]))
    return ClockSteps(row, len(first), -float(steps_ns.min()) * _S_PER_NS, is_steady)


def _order_of_sending(cells: Cells, number: str) -> NDArray[np.int64] | None:
    """The rows in the order of their numbers; None if these are missing, or of several runs."""
    if number not in cells.columns:
        return None
    probe = Cells(cells.source, {number: cells.columns[number]}, cells.count, cells.row)
    sent = numbers(probe, number)
    if probe.findings or len(np.unique(sent)) < len(sent):
        return None
    return np.argsort(sent)


def step_warnings(steps: ClockSteps | None, source: str, column: str) -> tuple[Finding, ...]:
    """Make the warning about steps back of the clock; empty without a step."""
    if steps is None:
        return ()
    message = (
        f"the clock went back {plural(steps.count, 'time')} while requests were sent, by up to "
        f"{steps.longest_s:.3g} s: their times overlap those before"
    )
    hint = (
        "set the clock before the run, and not during it; latencies are right, since they are "
        "measured with a clock that does not step"
    )
    place = Place(source, row=steps.row, field=column)
    return (Finding(Code.CLOCK_STEP, message, place, hint, Severity.WARNING),)
