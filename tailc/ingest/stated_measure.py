"""Determine what the times of an input measure, from the input or from the user's statement.

A load generator measures response times, which contain waiting. They become a profile of demand
only if the user says so and gives a reason. Times of a closed loop, which has too few requests
while the server is slow, need in addition an estimator for the missing requests.
"""

from __future__ import annotations

from dataclasses import dataclass

from tailc.errors import Code, Finding, Place, TailcError
from tailc.ingest.estimate import NAME, ShortIntervalError, with_missing
from tailc.ingest.input_times import InputTimes, Loop
from tailc.traces.counted_times import CountedTimes, Grain, Origin
from tailc.traces.histogram import Histogram
from tailc.traces.profile import Measure
from tailc.units import format_us

DEMANDS = (Measure.DEMAND_CPU, Measure.DEMAND_BUSY)
_NS_PER_US = 1000
_INTERVAL = "--expected-interval"


@dataclass(frozen=True)
class StatedMeasure:
    """The user's statement about the times of all inputs.

    because: reason why a response time is a demand. interval_us: expected interval of a closed
    loop.
    """

    measure: Measure | None = None
    because: str | None = None
    interval_us: int | None = None


def count_times(times: InputTimes, stated: StatedMeasure, name: str) -> CountedTimes:
    """Convert the times of an input to counted times of a known measure, such as demand.

    Raises TailcError if the measure is unknown or contradicted.
    """
    measure = stated.measure or _measure_stated_in(times, stated)
    if measure is None:
        raise _missing_measure(times, name)
    if stated.interval_us is not None and measure is not Measure.RESPONSE_CLOSED:
        message = (
            f"`{_INTERVAL}` corrects times of a closed loop, but `{name}` is `{measure.value}`"
        )
        raise _refusal(
            Code.USAGE, message, name, ("remove the option, or give `--measure response-closed`")
        )
    if measure in DEMANDS and times.loop is not None and stated.because is None:
        raise _response(times, measure, name)
    if measure is Measure.RESPONSE_OPEN and times.loop is Loop.CLOSED:
        raise _closed_loop_error(times, name)
    if measure is Measure.RESPONSE_CLOSED and stated.interval_us is None:
        raise _closed_loop_error(times, name)
    because = stated.because if measure in DEMANDS else None
    histogram = _add_missing_requests(times, stated, name)
    return CountedTimes(
        histogram, measure, (_origin(times, histogram, stated.interval_us, because),)
    )


def _measure_stated_in(times: InputTimes, stated: StatedMeasure) -> Measure | None:
    """The measure that the input states, or that an interval of a closed loop implies."""
    if stated.interval_us is not None and times.loop is not Loop.OPEN:
        return Measure.RESPONSE_CLOSED
    return {Loop.OPEN: Measure.RESPONSE_OPEN, Loop.CLOSED: Measure.RESPONSE_CLOSED}.get(
        times.loop or Loop.UNSTATED
    )


def _add_missing_requests(times: InputTimes, stated: StatedMeasure, name: str) -> Histogram:
    """The histogram with missing requests added; exact times already have them."""
    if stated.interval_us is None or times.grain is Grain.REQUESTS:
        return times.histogram
    try:
        return with_missing(times.histogram, stated.interval_us * _NS_PER_US)
    except ShortIntervalError as error:
        raise short_interval(error, stated, name) from None


def short_interval(error: ShortIntervalError, stated: StatedMeasure, name: str) -> TailcError:
    """Make the error for an interval that is too short for the longest time."""
    message = (
        f"the interval `{format_us(stated.interval_us or 0)}` is too short for `{name}`, in which "
        f"a request took {error.longest_ns / 1e9:g} s"
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


def _missing_measure(times: InputTimes, name: str) -> TailcError:
    if times.loop is Loop.UNSTATED:
        message = (
            f"`{name}` is {times.format}, which does not say whether requests were sent at a "
            "rate or in a closed loop"
        )
        hint = (
            "give `--measure response-open` if they were sent at a rate, else `--measure "
            f"response-closed` with `{_INTERVAL}`"
        )
    else:
        message = f"`{name}` does not say what its times measure"
        hint = (
            "give `--measure`: `demand-cpu` for processor time, `demand-busy` for the time in "
            "which the server works on a request, or `response-open` for latencies at a given rate"
        )
    return _refusal(Code.UNSTATED_MEASURE, message, name, hint)


def _response(times: InputTimes, measure: Measure, name: str) -> TailcError:
    message = (
        f"`{times.selected}` of {times.format} is a response time, which contains waiting: "
        f"it is not `{measure.value}`"
    )
    hint = "remove `--measure`, or state with `--because` why requests did not wait in this run"
    return _refusal(Code.RESPONSE_TIME, message, name, hint)


def _closed_loop_error(times: InputTimes, name: str) -> TailcError:
    message = (
        f"`{name}` is {times.format} of a closed loop, whose client waits for each answer: while "
        "the server was slow, requests that would have waited were not sent"
    )
    hint = (
        f"measure at a rate; or estimate the missing requests with `{_INTERVAL}`, the time "
        "between two requests of a client; or, if there was only one client, give `--measure "
        "demand-busy` and `--because`"
    )
    return _refusal(Code.CLOSED_LOOP, message, name, hint)


def _refusal(code: Code, message: str, name: str, help_: str) -> TailcError:
    return TailcError(Finding(code, message, Place(name), help_))
