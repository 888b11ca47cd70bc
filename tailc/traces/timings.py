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
from tailc.units import plural, shorten

# A mean of fewer repetitions says little about a tail.
ENOUGH_REPETITIONS = 10
MAX_DEGREE = 4096
# Of the next measured degree to the one before it, such as 1, 2, 4, 8 or 1, 4, 16.
WIDEST_STEP = 4
_DEGREES_NAMED = 8


@dataclass(frozen=True, eq=False)
class TimedRequests:
    """Requests made from repeated timings at several degrees, in order of appearance.

    The demand of a request is its mean time T(1) on one thread, its speed-up at degree d is
    T(1)/T(d). first: int64 (requests,), first selected row of each. request_of: int64 (rows,),
    request of each row.
    """

    demand_ns: NDArray[np.float64]
    curves: Curves
    first: NDArray[np.int64]
    request_of: NDArray[np.int64]
    warnings: tuple[Finding, ...]

    def of_requests(
        self, cells: Cells, per_row: NDArray[np.int64], name: str | None
    ) -> NDArray[np.int64]:
        """Reduce one value per row to one per request; report requests whose rows differ in it.

        name: of the column, for messages.
        """
        chosen = per_row[self.first]
        if name is not None:
            differs = per_row != chosen[self.request_of]
            what, hint = "differs from the first row of its request", "give each request one value"
            cells.refuse(differs, name, Code.BAD_TIMINGS, what, hint)
        return chosen


def timed_requests(cells: Cells, reading: TimingsReading) -> TimedRequests:
    """Make requests from rows of timings; each request must be timed at the same degrees, from 1.

    Speed-ups at missing degrees are interpolated linearly, which is too small for a concave curve.
    Means are of whole nanoseconds, so they do not depend on the order of rows. Degrees above
    `max_degree` of the reading are used only to interpolate. Raises TailcError with all findings.
    """
    columns = reading.timings
    duration_ns = whole_ns(cells, columns.duration, reading.measured.unit)
    degree = whole(cells, columns.degree, MAX_DEGREE)
    encoded = texts(cells, columns.request).combine_chunks().dictionary_encode()
    cells.stop_if_refused()
    request = numpy_of(encoded.indices).astype(np.int64)
    names = encoded.dictionary.to_pylist()
    measured = _measured(degree, reading.max_degree)

    used = degree <= measured[-1]
    slot = request[used] * len(measured) + np.searchsorted(measured, degree[used])
    first = np.unique(request, return_index=True)[1]
    _check_complete(cells, slot, measured, names, first)
    _refuse_wide_gap(cells.source, measured)
    size = len(names) * len(measured)
    count = np.bincount(slot, minlength=size).reshape(-1, len(measured))
    total_ns = np.bincount(slot, weights=duration_ns[used], minlength=size).reshape(count.shape)
    mean_ns = total_ns / count
    speedup = mean_ns[:, :1] / mean_ns
    _check_speedups(cells, columns.duration, speedup, measured, names, first)
    degrees = int(min(measured[-1], reading.max_degree or MAX_DEGREE))
    return TimedRequests(
        np.rint(mean_ns[:, 0]),
        distinct_curves(_at_all_degrees(speedup, measured, degrees)),
        first,
        request,
        _few_repetitions(cells.source, count) + _interpolated(cells.source, measured, degrees),
    )


def _measured(degree: NDArray[np.int64], max_degree: int | None) -> NDArray[np.int64]:
    """The degrees to use, ascending: 1, the others up to `max_degree`, and the next one if that is
    not measured."""
    found = np.unique(np.append(degree, 1))
    most = min(max_degree or MAX_DEGREE, found[-1])
    return found[: int(np.searchsorted(found, most)) + 1]


def _at_all_degrees(
    speedup: NDArray[np.float64], measured: NDArray[np.int64], degrees: int
) -> NDArray[np.float64]:
    """Speed-ups at degrees 1 to `degrees`, linear between the measured ones."""
    wanted = np.arange(1, degrees + 1)
    if np.array_equal(measured, wanted):
        return speedup
    upper = np.searchsorted(measured, wanted)
    lower = np.maximum(upper - 1, 0)
    part = (wanted - measured[lower]) / np.maximum(measured[upper] - measured[lower], 1)
    return speedup[:, lower] + part * (speedup[:, upper] - speedup[:, lower])


def _check_complete(
    cells: Cells,
    slot: NDArray[np.int64],
    measured: NDArray[np.int64],
    names: list[str],
    first: NDArray[np.int64],
) -> None:
    """Raise TailcError unless each request has all measured degrees.

    slot: number of the request times the measured degrees, plus that of the degree.
    """
    timed, degrees = np.unique(slot), len(measured)
    missing = len(names) * degrees - len(timed)
    if not missing:
        return
    per_request = np.bincount(timed // degrees, minlength=len(names))
    request = int(np.flatnonzero(per_request < degrees)[0])
    at = next(d for d in range(degrees) if request * degrees + d not in timed)
    message = f"request `{shorten(names[request])}` has no timing at degree {measured[at]}"
    if missing > 1:
        message += f" (first of {missing} missing pairs of request and degree)"
    place = Place(cells.source, row=cells.row_of(int(first[request])))
    help_ = f"time every request at the same degrees, here {_listed(measured)}"
    help_ += ", or lower `max_degree`"
    raise TailcError(Finding(Code.BAD_TIMINGS, message, place, help=help_))


def _refuse_wide_gap(source: str, measured: NDArray[np.int64]) -> None:
    """Raise TailcError if degrees are too far apart for interpolation."""
    wide = np.flatnonzero(measured[1:] > WIDEST_STEP * measured[:-1])
    if len(wide):
        below, above = measured[wide[0]], measured[wide[0] + 1]
        message = (
            f"no request has a timing at a degree between {below} and {above}, which is too wide "
            "a gap for interpolation"
        )
        help_ = f"time every request at a degree of at most {WIDEST_STEP * below}, too"
        raise TailcError(Finding(Code.BAD_TIMINGS, message, Place(source), help=help_))


def _listed(degrees: NDArray[np.int64]) -> str:
    more = ", ..." if len(degrees) > _DEGREES_NAMED else ""
    return ", ".join(map(str, degrees[:_DEGREES_NAMED])) + more


def _check_speedups(
    cells: Cells,
    duration: str,
    speedup: NDArray[np.float64],
    measured: NDArray[np.int64],
    names: list[str],
    first: NDArray[np.int64],
) -> None:
    """Raise TailcError unless every T(1)/T(d) can be stored in millionths."""
    bad = np.argwhere(vanishes(speedup) | (speedup > MAX_SPEEDUP))
    if not len(bad):
        return
    request, at = map(int, bad[0])
    message = (
        f"request `{shorten(names[request])}` has a speed-up of "
        f"`{speedup[request, at]:.3g}` at degree {measured[at]}"
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


def _interpolated(source: str, measured: NDArray[np.int64], degrees: int) -> tuple[Finding, ...]:
    between = np.setdiff1d(np.arange(1, degrees + 1), measured)
    if not len(between):
        return ()
    message = (
        f"{plural(len(between), 'degree')} without timings ({_listed(between)}): the speed-up "
        "there is interpolated between the measured degrees"
    )
    hint = "time these degrees too if the speed-up jumps, as where a second socket begins"
    return (
        Finding(
            Code.DEGREES_INTERPOLATED, message, Place(source), help=hint, severity=Severity.WARNING
        ),
    )
