"""Convert rows of cells to requests: demand, weight, speed-up curve, and split key.

The split key decides whether a request is held out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.errors import Code, Finding, Place
from tailc.traces.cells import MEND, Cells, not_negative, whole
from tailc.traces.curves import Curves, common_curves, curves_by_class, curves_by_request
from tailc.traces.lengths import in_unit
from tailc.traces.reading import (
    ClassCurves,
    CommonCurve,
    CyclesAndMemory,
    DemandAndMemory,
    DemandColumn,
    DemandReading,
    Demands,
    Rows,
    SpeedupColumns,
    SplitBy,
    TimeUnit,
)
from tailc.traces.split_keys import id_keys, time_keys
from tailc.traces.times import MAX_NS, NS_PER_MS, whole_ns

# Cycles per nanosecond at 1 kHz.
CYCLES_PER_NS_AT_1_KHZ = 1e-6

Times = NDArray[np.float64]


def demand_and_memory_ns(
    cells: Cells, demands: Demands, unit: TimeUnit
) -> tuple[Times, Times | None]:
    """Demand of each request and the memory time in it, in whole nanoseconds.

    At frequency f a request takes C / f + M, with C compute cycles and M memory time (Bartolini,
    dissertation, 2015, section 3.4.1). A trace has C and M, or the whole time and M.

    If the trace has cycles, the demand is at the frequency at which they were counted. The memory
    time is None without such a column. Records bad cells.
    """
    match demands:
        case DemandColumn(name):
            return whole_ns(cells, name, unit), None
        case DemandAndMemory():
            return _of_demands(cells, demands, unit)
        case CyclesAndMemory():
            return _of_cycles(cells, demands, unit)


def _of_demands(cells: Cells, columns: DemandAndMemory, unit: TimeUnit) -> tuple[Times, Times]:
    memory_ns = _memory_ns(cells, columns.memory, unit)
    demand_ns = whole_ns(cells, columns.name, unit)
    beyond = f"is more than the whole demand in column `{columns.name}`"
    cells.refuse(memory_ns > demand_ns, columns.memory, Code.OUT_OF_RANGE, beyond, MEND)
    return demand_ns, memory_ns


def _of_cycles(cells: Cells, columns: CyclesAndMemory, unit: TimeUnit) -> tuple[Times, Times]:
    name, memory_ns = columns.name, _memory_ns(cells, columns.memory, unit)
    demand_ns = memory_ns + _compute_ns(cells, name, columns.clock_khz)
    nothing = "with no memory time is not a request"
    cells.refuse(demand_ns == 0, name, Code.NOT_POSITIVE, nothing, "remove the row")
    hint = "correct the cell, or `clock` or `unit` of the trace"
    cells.refuse(
        demand_ns > MAX_NS, name, Code.OUT_OF_RANGE, "is a demand of more than 104 days", hint
    )
    return demand_ns, memory_ns


def _memory_ns(cells: Cells, name: str, unit: TimeUnit) -> Times:
    ns_per_unit = unit.in_ms * NS_PER_MS
    times = not_negative(in_unit(cells, name, unit.in_ms), name, MAX_NS / ns_per_unit)
    return np.rint(times * ns_per_unit)


def _compute_ns(cells: Cells, name: str, clock_khz: int) -> Times:
    cycles_per_ns = clock_khz * CYCLES_PER_NS_AT_1_KHZ
    return np.rint(not_negative(cells, name, MAX_NS * cycles_per_ns) / cycles_per_ns)


# Sums of weights stay exact in float64.
MAX_TOTAL_WEIGHT = 2**53


@dataclass(frozen=True, eq=False)
class RequestRows:
    """Requests in the order of their rows in a file; one array element per request.

    weight: int64, sum over the rows merged into the request. split_key: as in `Trace`. repeats:
    int64, number of these rows; None if 1 for all.
    """

    demand_ns: Times
    memory_ns: Times | None
    weight: NDArray[np.int64]
    curves: Curves
    split_key: NDArray | None
    repeats: NDArray[np.int64] | None = None


def request_rows(cells: Cells, reading: DemandReading) -> RequestRows:
    """Convert each row to a request; TailcError with all findings about bad cells."""
    demand_ns, memory_ns = demand_and_memory_ns(cells, reading.demand, reading.measured.unit)
    weight = weights(cells, reading.weight)
    curves = _curves(cells, reading)
    key = split_key(cells, reading.rows)
    cells.stop_if_refused()
    return RequestRows(demand_ns, memory_ns, weight, curves, key)


def weights(cells: Cells, column: str | None) -> NDArray[np.int64]:
    """Read the number of requests of each row; record weights that are too large."""
    if column is None:
        return np.ones(cells.count, dtype=np.int64)
    weight = whole(cells, column, MAX_TOTAL_WEIGHT)
    cells.findings += excess_weight(weight, Place(cells.source, field=column))
    return weight


def excess_weight(weight: NDArray[np.number], place: Place) -> tuple[Finding, ...]:
    """Report weights whose sum is not exact in float64."""
    if (total := weight.sum(dtype=np.float64)) <= MAX_TOTAL_WEIGHT:
        return ()
    message = f"the weights add up to `{total:g}`, more than {MAX_TOTAL_WEIGHT:g}"
    hint = "divide all weights by one number, or give fewer rows"
    return (Finding(Code.OUT_OF_RANGE, message, place, hint),)


def split_key(cells: Cells, rows: Rows) -> NDArray | None:
    """Read the value of each row that decides whether it is held out; None if no column decides."""
    rule = rows.split
    if rule is None or rule.column is None:
        return None
    return (time_keys if rule.by is SplitBy.TIME else id_keys)(cells, rule.column)


def _curves(cells: Cells, reading: DemandReading) -> Curves:
    match reading.speedups:
        case SpeedupColumns() as columns:
            return curves_by_request(cells, columns.number_columns(reading.max_degree))
        case ClassCurves(column, curves):
            return curves_by_class(cells, column, curves, reading.max_degree)
        case CommonCurve(curve):
            return common_curves(cells.count, curve, reading.max_degree)
