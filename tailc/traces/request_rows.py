"""Convert rows of cells to requests: demand, weight, speed-up curve, and split key."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.errors import Code, Finding, Place
from tailc.traces.cells import Cells, whole
from tailc.traces.clocked import Times, demand_and_memory_ns
from tailc.traces.curves import Curves, common_curves, curves_by_class, curves_by_request
from tailc.traces.reading import (
    ClassCurves,
    CommonCurve,
    DemandReading,
    Rows,
    SpeedupColumns,
    SplitBy,
)
from tailc.traces.split_keys import id_keys, time_keys

# Sums of weights stay exact in float64.
MAX_TOTAL_WEIGHT = 2**53


@dataclass(frozen=True, eq=False)
class RequestRows:
    """Requests in the order of their rows; one array element per request.

    weight: int64, of all rows merged into a request. split_key: as in `Trace`. repeats: int64,
    number of these rows; None if 1 for all.
    """

    demand_ns: Times
    memory_ns: Times | None
    weight: NDArray[np.int64]
    curves: Curves
    split_key: NDArray | None
    repeats: NDArray[np.int64] | None = None


def request_rows(cells: Cells, reading: DemandReading) -> RequestRows:
    """A request for each row; raises TailcError with all findings about bad cells."""
    demand_ns, memory_ns = demand_and_memory_ns(cells, reading.demand, reading.measured.unit)
    weight = weights(cells, reading.weight)
    curves = _curves(cells, reading)
    key = split_key(cells, reading.rows)
    cells.stop_if_refused()
    return RequestRows(demand_ns, memory_ns, weight, curves, key)


def weights(cells: Cells, column: str | None) -> NDArray[np.int64]:
    """Number of requests of each row; records weights that are too large."""
    if column is None:
        return np.ones(cells.count, dtype=np.int64)
    weight = whole(cells, column, MAX_TOTAL_WEIGHT)
    cells.findings += excess_weight(weight, Place(cells.source, field=column))
    return weight


def excess_weight(weight: NDArray[np.number], place: Place) -> tuple[Finding, ...]:
    """An error if the sum of the weights is not exact in float64, else nothing."""
    if (total := weight.sum(dtype=np.float64)) <= MAX_TOTAL_WEIGHT:
        return ()
    message = f"the weights add up to `{total:g}`, more than {MAX_TOTAL_WEIGHT:g}"
    hint = "divide all weights by one number, or give fewer rows"
    return (Finding(Code.OUT_OF_RANGE, message, place, hint),)


def split_key(cells: Cells, rows: Rows) -> NDArray | None:
    """Value of each row by which it is held out; None if no column determines this."""
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
