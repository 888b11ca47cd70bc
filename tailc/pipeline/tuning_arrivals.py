"""Split recorded arrivals into a part to tune a table on and a part to validate it on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tailc.errors import Code, Finding, Place, TailcError
from tailc.experiment.tuning_objective import TuningObjective
from tailc.models.recorded_gaps import RecordedGaps
from tailc.pipeline.recorded_arrivals import recorded_arrivals
from tailc.pipeline.recorded_parts import RecordedParts
from tailc.pipeline.trace import OpenedTrace
from tailc.traces.arrivals import ArrivalColumn
from tailc.traces.source import open_source
from tailc.traces.split import held_out_mask
from tailc.traces.trace import trace_by_row

# The last of this number of equal parts validates, as with the records.
_JUDGING_PART = 3
FEWEST_ARRIVALS = 600


def with_recorded(
    aim: TuningObjective, read: OpenedTrace
) -> tuple[TuningObjective, tuple[Finding, ...]]:
    """Add the design part's recorded arrivals to an objective of tuning.

    Also returns warnings about them. Raises TailcError as `recorded_parts` does.
    """
    if aim.recorded is None:
        return aim, ()
    parts = read.recorded or recorded_parts(aim.recorded, read)
    return replace(aim, pattern=parts.tuning, validation_pattern=parts.validation), parts.warnings


def recorded_parts(column: ArrivalColumn, read: OpenedTrace) -> RecordedParts:
    """Read the recorded arrivals of the design part.

    The first two thirds are for tuning, the last third is for validation. Raises TailcError as
    `recorded_arrivals` does, and for too few arrivals.
    """
    chosen = None
    with open_source(read.path) as source:
        trace = read.trace
        if trace.requests.repeats is not None:
            trace = trace_by_row(source, read.reading, read.format)
        if (rule := read.reading.rows.split) is not None:
            chosen = ~held_out_mask(trace, rule)
            trace = replace(trace, requests=trace.requests.select(chosen), split_key=None)
        recorded, warnings = recorded_arrivals(
            source, trace, read.reading, column, chosen, read.format
        )
        place = Place(source.name, field=column.name)
    count = len(recorded.times_ns)
    if count < FEWEST_ARRIVALS:
        message = f"{count} arrivals are too few to tune a table and to evaluate it"
        hint = f"give a recording with at least {FEWEST_ARRIVALS} arrivals"
        raise TailcError(Finding(Code.FEW_ARRIVALS, message, place, hint))
    first = count - count // _JUDGING_PART
    parts = recorded.times_ns[:first], recorded.times_ns[first:]
    tuning, judging = (_gaps(part, place) for part in parts)
    return RecordedParts(tuning, judging, warnings)


def _gaps(times_ns: NDArray[np.int64], place: Place) -> RecordedGaps:
    if times_ns[-1] == times_ns[0]:
        message = f"{len(times_ns)} arrivals in a part of the recording have the same time"
        raise TailcError(Finding(Code.FEW_ARRIVALS, message, place, "give a longer recording"))
    return RecordedGaps(times_ns - times_ns[0], place.field or "")
