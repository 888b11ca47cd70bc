"""Read the days of a spec's design requests, if the spec names their column."""

from __future__ import annotations

from tailc.errors import Code, Finding, TailcError
from tailc.pipeline.spec import OpenedSpec
from tailc.pipeline.trace import OpenedTrace
from tailc.traces.day_of import RowDays, read_days
from tailc.traces.split import held_out_mask


def design_days(opened: OpenedSpec, read: OpenedTrace, column: str | None) -> RowDays | None:
    """Read the day of each design record from a column; None without a column.

    Reads the trace again; raises TailcError (CONFLICT) if that is standard input.
    """
    if column is None:
        return None
    if read.path == "-":
        message = (
            "the days of requests are read from the trace again, but standard input can be read "
            "only once"
        )
        place = opened.loaded.place("search", "robust", "days")
        raise TailcError(Finding(Code.CONFLICT, message, place, "write the trace to a file"))
    # INVARIANT: a row is a record; the spec refuses days with timings and bins.
    days_read = read_days(read.path, column, read.reading.rows.where, read.format)
    rule = read.reading.rows.split
    return days_read if rule is None else days_read.select(~held_out_mask(read.trace, rule))
