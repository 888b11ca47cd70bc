"""Convert a table of timings, one row per request, degree and repetition, to requests."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.errors import Code, Finding, Place, Severity, TailcError
from tailc.traces.arrow import numpy_of
from tailc.traces.cells import Cells, texts, whole
from tailc.traces.curves import MAX_SPEEDUP, Curves, distinct_curves, vanishes
from tailc.traces.reading import TimingsReading
from tailc.traces.speedup_check import LEAST_ODD_SHARE, REPEAT
from tailc.traces.times import whole_ns
from tailc.units import shorten

# A mean of fewer repetitions says little about a tail.
ENOUGH_REPETITIONS = 10
MAX_DEGREE = 4096


@dataclass(frozen=True, eq=False)
class TimedRequests:
    """Requests in order of appearance: mean time T(1) at degree 1, and curve T(1)/T(d).

    first: first selected row of each request. request_of: request of each row.
    """

    demand_ns: NDArray[np.float64]
    curves: Curves
    first: NDArray[np.int64]
    request_of: NDArray[np.int64]
    warnings: tuple[Finding, ...]

    def of_requests(
        self, cells: Cells, per_row: NDArray[np.int64], name: str | None
    ) -> NDArray[np.int64]:
        """One value per request from one per row; records rows of a request that differ."""
        chosen = per_row[self.first]
        if name is not None:
            differs = per_row != chosen[self.request_of]
            what, hint = "differs from the first row of its request", "give each request one value"
            cells.refuse(differs, name, Code.BAD_TIMINGS, what, hint)
        return chosen


def timed_requests(cells: Cells, reading: TimingsReading) -> TimedRequests:
    """Requests from rows of timings; each must be timed at all degrees from 1.

    Means are of whole nanoseconds, so they do not depend on the order of rows. Degrees above
    `max_degree` of the reading are not used. Raises TailcError with all findings.
    """
    columns = reading.timings
    duration_ns = whole_ns(cells, columns.duration, reading.measured.unit)
    degree = whole(cells, columns.degree, MAX_DEGREE)
    encoded = texts(cells, columns.request).combine_chunks().dictionary_encode()
    cells.stop_if_refused()
    request = numpy_of(encoded.indices).astype(np.int64)
    names = encoded.dictionary.to_pylist()
    degrees = int(min(degree.max(), reading.max_degree or MAX_DEGREE))

    used = degree <= degrees
    slot = request[used] * degrees + degree[used] - 1
    first = np.unique(request, return_index=True)[1]
    _check_complete(cells, slot, degrees, names, first)
    size = len(names) * degrees
    count = np.bincount(slot, minlength=size).reshape(-1, degrees)
    total_ns = np.bincount(slot, weights=duration_ns[used], minlength=size).reshape(-1, degrees)
    mean_ns = total_ns / count
    speedup = mean_ns[:, :1] / mean_ns
    _check_speedups(cells, columns.duration, speedup, names, first)
    return TimedRequests(
        np.rint(mean_ns[:, 0]),
        distinct_curves(speedup),
        first,
        request,
        _few_repetitions(cells.source, count),
    )


def _check_complete(
    cells: Cells, slot: NDArray[np.int64], degrees: int, names: list[str], first: NDArray[np.int64]
) -> None:
    """Raise TailcError unless each request has all degrees; `slot` is request * degrees + degree -
    1.

    Uses sparse data, because one large degree would make a dense table huge.
    """
    timed = np.unique(slot)
    missing = len(names) * degrees - len(timed)
    if not missing:
        return
    per_request = np.bincount(timed // degrees, minlength=len(names))
    request = int(np.flatnonzero(per_request < degrees)[0])
    degree = next(d for d in range(degrees) if request * degrees + d not in timed)
    message = f"request `{shorten(names[request])}` has no timing at degree {degree + 1}"
    if missing > 1:
        message += f" (first of {missing} missing pairs of request and degree)"
    place = Place(cells.source, row=cells.row_of(int(first[request])))
    help_ = f"time every request at every degree from 1 to {degrees}, or lower `max_degree`"
    raise TailcError(Finding(Code.BAD_TIMINGS, message, place, help=help_))


def _check_speedups(
    cells: Cells,
    duration: str,
    speedup: NDArray[np.float64],
    names: list[str],
    first: NDArray[np.int64],
) -> None:
    """Raise TailcError unless every T(1)/T(d) can be stored in millionths."""
    bad = np.argwhere(vanishes(speedup) | (speedup > MAX_SPEEDUP))
    if not len(bad):
        return
    request, degree = map(int, bad[0])
    message = (
        f"request `{shorten(names[request])}` has a speed-up of "
        f"`{speedup[request, degree]:.3g}` at degree {degree + 1}"
    )
    if len(bad) > 1:
        message += f" (first of {len(bad)} such pairs of request and degree)"
    place = Place(cells.source, row=cells.row_of(int(first[request])), field=duration)
    help_ = f"a speed-up must be 1e-06 to {MAX_SPEEDUP:g}: check the times of that request"
    raise TailcError(Finding(Code.OUT_OF_RANGE, message, place, help=help_))


def _few_repetitions(source: str, count: NDArray[np.int64]) -> tuple[Finding, ...]:
    few = int((count < ENOUGH_REPETITIONS).sum())
    if not few or few < LEAST_ODD_SHARE * count.size:
        return ()
    return (
        Finding(
            Code.FEW_REPETITIONS,
            f"{few} of {count.size} mean times of a request at a degree are from fewer than "
            f"{ENOUGH_REPETITIONS} timings, the fewest from {count.min()}, so speed-ups are "
            "uncertain",
            Place(source),
            help=REPEAT,
            severity=Severity.WARNING,
        ),
    )
