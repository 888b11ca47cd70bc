"""Read the log of demands that a runtime writes while it serves requests."""

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


def demands_of_log(like: ValueMeaning) -> DemandReading:
    """Make the reading of a runtime's demand log, without speed-ups.

    like: meaning of the demands of the design trace, which those of the log share.
    """
    return _reading(like, ONE_THREAD)


def reading_of_log(source: Source, like: RequestReading) -> DemandReading | None:
    """Make the reading of a demand log, with the speed-ups of `like`; None for another file.

    Raises TailcError if the log lacks the column that selects the speed-ups.
    """
    if not is_demand_log(source):
        return None
    has_class = header_of(source) in HEADERS[1:]
    match like:
        case DemandReading(speedups=CommonCurve() as common):
            return _reading(like.measured, common)
        case DemandReading(speedups=ClassCurves(curves=curves)) if has_class:
            return _reading(like.measured, ClassCurves(CLASS, curves))
    what = "the class of each request" if like.curves else "speed-ups of each request"
    raise source.fault(
        Code.MISSING_COLUMN,
        f"`{source.name}` is a log of demands without {what}",
        advice=(
            "`--drift` accepts this log; for a replay, give a trace with the columns of the compile"
        ),
    )


def _reading(like: ValueMeaning, speedups: CommonCurve | ClassCurves) -> DemandReading:
    """A log does not say which demand it has: it is that of the design, if not a response time."""
    is_cpu = like.measure is Measure.DEMAND_CPU
    measure = Measure.DEMAND_CPU if is_cpu else Measure.DEMAND_BUSY
    measured = ValueMeaning(measure, like.reference, TimeUnit.US)
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
    """The first line of the file."""
    return next(source.lines(_LONGEST_HEADER), b"").rstrip(b"\r\n")
