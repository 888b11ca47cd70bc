"""Convert times to whole nanoseconds, and check for a wrong unit."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tailc.errors import Code, Finding, Place, Severity
from tailc.percentiles import percentile_rank
from tailc.traces.cells import Cells, positive
from tailc.traces.lengths import in_unit
from tailc.traces.reading import TimeUnit

NS_PER_MS = 1e6
# Up to 2^53 a float64 holds every whole number; in ns, 104 days.
MAX_NS = 2.0**53
# Median demands outside of this are likelier a wrong unit than a service: tables of policies
# tick in milliseconds, and requests that run for minutes have no latency objective.
SHORTEST_USUAL_MS = 0.005
LONGEST_USUAL_MS = 600_000.0
_OF_ZERO = (
    "correct the cell; if a clock rounded times to 0, write half of its step for them, such as "
    "0.0005 for 0.000 s: without their rows, the fastest requests are missing"
)
CHECK_UNIT = "check which column has the demand, and its `unit`"
CHECK_CYCLES = "check that the column has cycles, and check `clock` and `unit`"


def whole_ns(cells: Cells, name: str, unit: TimeUnit) -> NDArray[np.float64]:
    """Convert a column to times in whole ns, 1 to 2^53; record bad cells and make them NaN.

    unit: of plain numbers; a column of durations or of clock times has a unit of its own.
    """
    ns_per_unit = unit.in_ms * NS_PER_MS
    cells = in_unit(cells, name, unit.in_ms)
    times = positive(cells, name, MAX_NS / ns_per_unit, _OF_ZERO)
    times_ns = times * ns_per_unit
    np.rint(times_ns, out=times_ns)
    tiny, hint = "is less than half a nanosecond", "correct the cell, or the unit of the times"
    cells.refuse(times_ns == 0, name, Code.OUT_OF_RANGE, tiny, hint)
    return times_ns


def ms_of_ns(times_ns: NDArray[np.float64]) -> NDArray[np.float64]:
    """Convert nanoseconds to ms: the float nearest to the decimal fraction."""
    return times_ns / NS_PER_MS


def suspect_unit(
    demand_ms: NDArray[np.float64], weight: NDArray[np.int64], place: Place, hint: str = CHECK_UNIT
) -> tuple[Finding, ...]:
    """Warn if at least half of the demands are below 5 us or above 10 min."""
    total = int(weight.sum())
    half = percentile_rank(500_000, total)
    for is_outside, side, cause in (
        (demand_ms < SHORTEST_USUAL_MS, "below 5 us", "a thousand times too small"),
        (
            demand_ms > LONGEST_USUAL_MS,
            "above 10 min",
            "a thousand times too large, or times of day instead of lengths of time",
        ),
    ):
        count = int(weight[is_outside].sum())
        if count >= half:
            message = f"{count} of {total} demands are {side}: they may be in another unit, {cause}"
            return (Finding(Code.UNIT_SUSPECT, message, place, hint, Severity.WARNING),)
    return ()
