"""Read the log of demands that a runtime (the scheduler of a server) writes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tailc.errors import Code
from tailc.percentiles import PPM
from tailc.traces.profile import Measure
from tailc.traces.reading import (
    ClassCurves,
    CommonCurve,
    Curve,
    DemandColumn,
    DemandReading,
    RequestReading,
    Rows,
    TimeUnit,
    ValueMeaning,
)
from tailc.traces.source import Source
from tailc.traces.trace import Trace

DEMAND, WEIGHT, CLASS = "demand_us", "weight", "class"
TIMED_HEADER = b"demand_us,weight,class,arrival_us,wait_us,run_us,thread_us,granted_us,late_us"
HEADERS = (b"demand_us,weight", b"demand_us,weight,class", TIMED_HEADER)
"""Columns of the CSV: work of a request, number of requests that it represents, class if any, and
times if any (`request_log.py`)."""

_LONGEST_HEADER = 128
ONE_THREAD = CommonCurve(Curve(None, (PPM,)))


def is_demand_log(source: Source) -> bool:
    """Whether the file is a log of demands of a runtime."""
    return header_of(source) in HEADERS


def demands_of_log(reference: str) -> DemandReading:
    """Make the reading of a runtime's demand log, without speed-ups.

    reference: name of the rung on which the demands were measured.
    """
    return _reading(reference, ONE_THREAD)


def reading_of_log(source: Source, like: RequestReading) -> DemandReading | None:
    """Make the reading of a demand log, with the speed-ups of `like`; None for another file.

    Raises TailcError if the log lacks the column that selects the speed-ups.
    """
    if not is_demand_log(source):
        return None
    has_class = header_of(source) in HEADERS[1:]
    match like:
        case DemandReading(speedups=CommonCurve() as common):
            return _reading(like.measured.reference, common, _measure(like))
        case DemandReading(speedups=ClassCurves(curves=curves)) if has_class:
            return _reading(like.measured.reference, ClassCurves(CLASS, curves), _measure(like))
    what = "the class of each request" if like.curves else "speed-ups of each request"
    raise source.fault(
        Code.MISSING_COLUMN,
        f"`{source.name}` is a log of demands without {what}",
        advice=(
            "`--drift` accepts this log; for a replay, give a trace with the columns of the compile"
        ),
    )


def _measure(like: RequestReading) -> Measure:
    """The demand of the compile: a log does not state whether it has processor or busy time."""
    measure = like.measured.measure
    return measure if measure is Measure.DEMAND_CPU else Measure.DEMAND_BUSY


def _reading(
    reference: str,
    speedups: CommonCurve | ClassCurves,
    measure: Measure = Measure.DEMAND_BUSY,
) -> DemandReading:
    measured = ValueMeaning(measure, reference, TimeUnit.US)
    return DemandReading(measured, Rows(), DemandColumn(DEMAND), speedups, WEIGHT)


def as_drawn(trace: Trace) -> Trace:
    """Divide the weights of a demand log by their common factor: each row is one observation.

    A row that represents a hundred requests is still one observation, so confidence intervals must
    not count it as a hundred.
    """
    requests = trace.requests
    drawn = replace(requests, weight=requests.weight // np.gcd.reduce(requests.weight_of_row))
    return replace(trace, requests=drawn)


def header_of(source: Source) -> bytes:
    """Read the first line of a file."""
    return next(source.lines(_LONGEST_HEADER), b"").rstrip(b"\r\n")
