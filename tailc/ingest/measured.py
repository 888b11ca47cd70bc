"""What the times of an input stand for: said by the user where the input does not, and recorded.

A load generator measures responses, which contain waiting. They become a profile of a demand only
where the user says so and why; and those of a closed loop, which are too few where the server is
slow, become one only with an estimator for what was not sent.
"""

from __future__ import annotations

from dataclasses import dataclass

from tailc.errors import Code, Finding, Place, TailcError
from tailc.ingest.estimate import NAME, ShortIntervalError, with_missing
from tailc.ingest.input_times import InputTimes, Loop
from tailc.traces.counted import Counted, Grain, Origin
from tailc.traces.histogram import Histogram
from tailc.traces.profile import Measure
from tailc.units import format_us

DEMANDS = (Measure.DEMAND_CPU, Measure.DEMAND_BUSY)
_NS_PER_US = 1000
_INTERVAL = "--expected-interval"


@dataclass(frozen=True)
class StatedMeasure:
    """What the user says of the times of every input.

    because: why a response time is a demand. interval_us: at which a closed loop should have sent.
    """

    measure: Measure | None = None
    because: str | None = None
    interval_us: int | None = None


def counted(times: InputTimes, stated: StatedMeasure, name: str) -> Counted:
    """The input as a profile; TailcError where what its times stand for is not said, or not so."""
    measure = stated.measure or _told(times, stated)
    if measure is None:
        raise _unstated(times, name)
    if stated.interval_us is not None and measure is not Measure.RESPONSE_CLOSED:
        message = f"`{_INTERVAL}` corrects a closed loop, but `{name}` is `{measure.value}`"
        raise _refusal(Code.USAGE, message, name, "leave it out, or say `response-closed`")
    if measure in DEMANDS and times.loop is not None and stated.because is None:
        raise _response(times, measure, name)
    if measure is Measure.RESPONSE_OPEN and times.loop is Loop.CLOSED:
        raise _closed(times, name)
    if measure is Measure.RESPONSE_CLOSED and stated.interval_us is None:
        raise _closed(times, name)
    because = stated.because if measure in DEMANDS else None
    histogram = _corrected(times, stated, name)
    return Counted(histogram, measure, (_origin(times, histogram, stated.interval_us, because),))


def _told(times: InputTimes, stated: StatedMeasure) -> Measure | None:
    """What the input itself tells, or an interval of a closed loop."""
    if stated.interval_us is not None and times.loop is not Loop.OPEN:
        return Measure.RESPONSE_CLOSED
    return {Loop.OPEN: Measure.RESPONSE_OPEN, Loop.CLOSED: Measure.RESPONSE_CLOSED}.get(
        times.loop or Loop.UNSTATED
    )


def _corrected(times: InputTimes, stated: StatedMeasure, name: str) -> Histogram:
    """With what was not sent, which exact times have already."""
    if stated.interval_us is None or times.grain is Grain.REQUESTS:
        return times.histogram
    try:
        return with_missing(times.histogram, stated.interval_us * _NS_PER_US)
    except ShortIntervalError as error:
        raise short_interval(error, stated, name) from None


def short_interval(error: ShortIntervalError, stated: StatedMeasure, name: str) -> TailcError:
    """The refusal of an interval that would add without end."""
    message = (
        f"an interval of `{format_us(stated.interval_us or 0)}` is too short for `{name}`, where a "
        f"request took {error.longest_ns / 1e9:g} s"
    )
    hint = "give the time between two requests of one client, not of all"
    return _refusal(Code.OUT_OF_RANGE, message, name, hint)


def _origin(
    times: InputTimes, histogram: Histogram, interval_us: int | None, because: str | None
) -> Origin:
    return Origin(
        format=times.format,
        taken=times.selected,
        unit=times.unit.value,
        grain=times.grain.value,
        requests=histogram.requests,
        left_out=times.left_out,
        estimator=None if interval_us is None else f"{NAME} {format_us(interval_us)}",
        estimated=times.estimated + histogram.requests - times.histogram.requests,
        because=because,
    )


def _unstated(times: InputTimes, name: str) -> TailcError:
    if times.loop is Loop.UNSTATED:
        message = (
            f"`{name}` is {times.format}, which does not say whether requests were sent at a "
            "rate or in a closed loop"
        )
        hint = (
            "say `--measure response-open` if they were sent at a rate, else "
            f"`--measure response-closed` with `{_INTERVAL}`"
        )
    else:
        message = f"`{name}` does not say what its times measure"
        hint = "say it by `--measure`: `demand-cpu`, `demand-busy`, `response-open`"
    return _refusal(Code.UNSTATED_MEASURE, message, name, hint)


def _response(times: InputTimes, measure: Measure, name: str) -> TailcError:
    message = (
        f"`{times.selected}` of {times.format} is a response time, which contains waiting: "
        f"it is not `{measure.value}`"
    )
    hint = "leave out `--measure`; or say by `--because` why nothing waited in this run"
    return _refusal(Code.RESPONSE_TIME, message, name, hint)


def _closed(times: InputTimes, name: str) -> TailcError:
    message = (
        f"`{name}` is {times.format} of a closed loop, in which requests are sent as answers come: "
        "while the server was slow, requests that would have waited were not sent"
    )
    hint = (
        f"measure at a rate; or estimate what was not sent by `{_INTERVAL}` and the time "
        "between two requests of a client; or, of one client alone, say `--measure demand-busy` "
        "and `--because`"
    )
    return _refusal(Code.CLOSED_LOOP, message, name, hint)


def _refusal(code: Code, message: str, name: str, help_: str) -> TailcError:
    return TailcError(Finding(code, message, Place(name), help_))
