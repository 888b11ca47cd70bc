"""Rows of cells as requests: demand, weight, speed-up curve, and what a split goes by."""

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
    """Requests in the order of their rows, each array with one value a request.

    weight: int64, of all rows that a request was merged from. split_key: as of a trace.
    repeats: int64, the number of those rows; None: one each.
    """

    demand_ns: Times
    memory_ns: Times | None
    weight: NDArray[np.int64]
    curves: Curves
    split_key: NDArray | None
    repeats: NDArray[np.int64] | None = None


def request_rows(cells: Cells, reading: DemandReading) -> RequestRows:
    """A request for each row; TailcError with every finding where a cell is refused."""
    demand_ns, memory_ns = demand_and_memory_ns(cells, reading.demand, reading.measured.unit)
    weight = weights(cells, reading.weight)
    curves = _curves(cells, reading)
    key = split_key(cells, reading.rows)
    cells.stop_if_refused()
    return RequestRows(demand_ns, memory_ns, weight, curves, key)


def weights(cells: Cells, column: str | None) -> NDArray[np.int64]:
    """The number of requests of each row; weights that are too large are recorded."""
    if column is None:
        return np.ones(cells.count, dtype=np.int64)
    weight = whole(cells, column, MAX_TOTAL_WEIGHT)
    cells.findings += excess_weight(weight, Place(cells.source, field=column))
    return weight


def excess_weight(weight: NDArray[np.number], place: Place) -> tuple[Finding, ...]:
    """An error where the sum of the weights is not exact in float64, else nothing."""
    if (total := weight.sum(dtype=np.float64)) <= MAX_TOTAL_WEIGHT:
        return ()
    message = f"the weights add up to `{total:g}`, more than {MAX_TOTAL_WEIGHT:g}"
    hint = "divide all weights by one number, or give fewer rows"
    return (Finding(Code.OUT_OF_RANGE, message, place, hint),)


def split_key(cells: Cells, rows: Rows) -> NDArray | None:
    """What decides by row whether it is held out; None where no column does."""
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
