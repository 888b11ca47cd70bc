"""Read the recorded arrival times of a trace's requests, for replays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tailc.errors import Code, Finding, Place, Severity
from tailc.models.arrivals import RecordedArrivals
from tailc.traces.arrivals import ArrivalColumn, arrivals_in, check_span
from tailc.traces.bins import bin_of
from tailc.traces.profile import DemandProfile
from tailc.traces.reading import RequestReading, Rows, SplitBy
from tailc.traces.source import Format, Source
from tailc.traces.trace import Trace
from tailc.units import format_mrps


def recorded_arrivals(
    source: Source,
    trace: Trace,
    reading: RequestReading,
    column: ArrivalColumn,
    chosen: NDArray[np.bool_] | None = None,
    format: Format = "auto",  # noqa: A002
) -> tuple[RecordedArrivals, tuple[Finding, ...]]:
    """Read the arrival time of each request of `trace`, with warnings.

    trace: what `reading` made of `source`, or of its requests in the mask `chosen`. A binned
    request arrives as its bin. Raises TailcError as `arrivals_in` does, and if a row represents
    several requests.
    """
    recorded = arrivals_in(source, reading, column, format)
    if (trace.requests.weight != 1).any():
        raise source.fault(
            Code.NOT_SINGLE,
            f"rows represent several requests (column `{reading.weight}`), but have one time each",
            field=column.name,
            advice="use a trace with one row for each request",
        )
    times_ns, remarks = recorded.times_ns, recorded.warnings
    if chosen is not None:
        times_ns = times_ns[chosen]
        check_span(times_ns, source.name, column.name)
        if not column.is_rescaled:
            place = Place(source.name, field=column.name)
            remarks += _thinned_warning(chosen, reading.rows, recorded.times_ns, place)
    record_of = _record_of(trace.requests, trace.bin_us)
    return RecordedArrivals(times_ns - times_ns[0], record_of, column.name), remarks


def _record_of(requests: DemandProfile, bin_us: int | None) -> NDArray[np.int32]:
    if bin_us is None:
        return np.arange(len(requests.demand_ms), dtype=np.int32)
    return bin_of(requests, bin_us).astype(np.int32)


def _thinned_warning(
    chosen: NDArray[np.bool_], rows: Rows, times_ns: NDArray[np.int64], place: Place
) -> tuple[Finding, ...]:
    """A warning if the held-out requests are spread over the recording, which lowers their rate."""
    if rows.split is None or rows.split.by is SplitBy.TIME:
        return ()
    message = (
        f"the held-out part has only {chosen.sum()} of the {len(chosen)} recorded arrivals, spread "
        "over the whole recording, so it is replayed at a lower rate than the recorded one"
    )
    # At least a thousandth of a request per second, which is the lowest rate there is.
    rate_mrps = max(RecordedArrivals(times_ns, None, "").rate_mrps, 1)
    rate = f"`--rescale {format_mrps(rate_mrps)}`"
    help_ = f"hold out by time, or replay at the rate of the whole recording: {rate}"
    return (Finding(Code.ARRIVALS_THINNED, message, place, help_, Severity.WARNING),)
