"""Refuse rows of a load generator as demand, because they are response times or percentiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tailc.errors import Code, TailcError
from tailc.ingest.formats import format_written
from tailc.traces.profile import Measure
from tailc.traces.reading import ValueMeaning
from tailc.traces.source import Source

if TYPE_CHECKING:
    from tailc.ingest.format import Format


def refuse_responses(source: Source, measured: ValueMeaning) -> None:
    """Raise TailcError if a load generator wrote the times and the reading says they are demand.

    Also refuses times of a closed loop as open-loop responses, and points of a distribution as
    requests.
    """
    format_ = format_written(source)
    if format_ is None:
        return
    from tailc.ingest.input_times import Loop
    from tailc.ingest.stated_measure import DEMANDS

    refuse_points(source, format_)
    loop = None if measured.note is not None else format_.loop(source)
    if loop is None:
        return
    if measured.measure in DEMANDS:
        raise _response(source, format_.name, measured.measure)
    if measured.measure is Measure.RESPONSE_OPEN and loop is Loop.CLOSED:
        message = (
            f"`{source.name}` is {format_.name} of a closed loop, but the measure is "
            "`response-open`"
        )
        raise source.fault(
            Code.CLOSED_LOOP,
            message,
            advice=("measure at a rate, or use `tailc ingest --measure response-closed`"),
        )


def refuse_points(source: Source, format_: Format) -> None:
    """Raise TailcError if the rows of a format are points of a distribution, or spans."""
    if format_.has_spans:
        message = (
            f"the rows of `{source.name}` are spans, and calls in them would count as requests"
        )
        hint = (
            "run `tailc ingest` without `--column` and `--weight`: it counts server spans without "
            "their calls, and writes a profile"
        )
        raise source.fault(Code.UNKNOWN_INPUT, message, advice=hint)
    if not format_.has_rows:
        message = f"the rows of `{source.name}` are points of a distribution, not requests"
        hint = (
            "run `tailc ingest --unit UNIT` without `--column` and `--weight`: it reads the "
            "columns of the distribution, and writes a profile"
        )
        raise source.fault(Code.RUNNING_TOTAL, message, advice=hint)


def _response(source: Source, name: str, measure: Measure) -> TailcError:
    message = (
        f"`{source.name}` is {name} with response times, which contain waiting: they are not "
        f"`{measure.value}`"
    )
    hint = (
        "write `measure: response-open`, and state in `response_time_because` why requests did "
        "not wait in this run; or use `tailc ingest`"
    )
    return source.fault(Code.RESPONSE_TIME, message, advice=hint)
