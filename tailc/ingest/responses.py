"""Response times that are offered as demand: the rule of `tailc ingest`, for every reader."""

from __future__ import annotations

from tailc.errors import Code, TailcError
from tailc.ingest.formats import format_written
from tailc.ingest.input_times import Loop
from tailc.ingest.measured import DEMANDS
from tailc.traces.profile import Measure
from tailc.traces.reading import Measured
from tailc.traces.source import Source


def refuse_responses(source: Source, measured: Measured) -> None:
    """Raise TailcError where a load generator wrote the times, and they are said to be a demand.

    Those of a closed loop are not taken for responses of an open one either.
    """
    format_ = None if measured.note is not None else format_written(source)
    loop = None if format_ is None else format_.loop(source)
    if format_ is None or loop is None:
        return
    if measured.measure in DEMANDS:
        raise _response(source, format_.name, measured.measure)
    if measured.measure is Measure.RESPONSE_OPEN and loop is Loop.CLOSED:
        message = f"`{source.name}` is {format_.name} of a closed loop, not `response-open`"
        raise source.fault(Code.CLOSED_LOOP, message, advice="measure at a rate")


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
