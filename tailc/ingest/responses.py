"""Rows that are no demands, but response times or no requests: the rules for every reader."""

from __future__ import annotations

from tailc.errors import Code, TailcError
from tailc.ingest.format import Format
from tailc.ingest.formats import format_written
from tailc.ingest.input_times import Loop
from tailc.ingest.measured import DEMANDS
from tailc.traces.profile import Measure
from tailc.traces.reading import Measured
from tailc.traces.source import Source


def refuse_responses(source: Source, measured: Measured) -> None:
    """Raise TailcError where a load generator wrote the times, and they are said to be a demand.

    Those of a closed loop are not taken for responses of an open one either, and points of a
    distribution for no requests.
    """
    format_ = format_written(source)
    if format_ is None:
        return
    refuse_points(source, format_)
    loop = None if measured.note is not None else format_.loop(source)
    if loop is None:
        return
    if measured.measure in DEMANDS:
        raise _response(source, format_.name, measured.measure)
    if measured.measure is Measure.RESPONSE_OPEN and loop is Loop.CLOSED:
        message = f"`{source.name}` is {format_.name} of a closed loop, not `response-open`"
        raise source.fault(Code.CLOSED_LOOP, message, advice="measure at a rate")


def refuse_points(source: Source, format_: Format) -> None:
    """Raise TailcError where rows of text are points of a distribution, and read as requests."""
    if not format_.has_rows:
        message = f"the rows of `{source.name}` are points of a distribution, and no requests"
        hint = (
            "run `tailc ingest --unit UNIT` without `--column` and `--weight`: it reads the "
            "columns of the distribution, and writes a profile"
        )
        raise source.fault(Code.RUNNING_TOTAL, message, advice=hint)


def _response(source: Source, name: str, measure: Measure) -> TailcError:
    message = (
        f"`{source.name}` is {name}, whose times are of responses and contain waiting: "
        f"they are not `{measure.value}`"
    )
    hint = (
        "write `measure: response-open`, and in `response_time_because` why nothing waited in "
        "this run; or count it by `tailc ingest`"
    )
    return source.fault(Code.RESPONSE_TIME, message, advice=hint)
