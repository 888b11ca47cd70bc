"""Count the times of a table whose columns are described by a map (option --columns)."""

from __future__ import annotations

from functools import partial

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tailc.errors import Code
from tailc.ingest.columns import NAMES, count_parts, histogram_of
from tailc.ingest.counting import Floats
from tailc.ingest.input_times import InputTimes
from tailc.specs.column_map import ColumnMap, TimeBetween, TimeColumnSpec, TimeOfCounts
from tailc.traces.arrow import numpy_of
from tailc.traces.cells import MEND, Cells, not_negative
from tailc.traces.counted_times import Grain
from tailc.traces.reading import TimeUnit
from tailc.traces.source import Source, format_of
from tailc.traces.split_keys import time_column
from tailc.traces.table import ColumnsToRead
from tailc.traces.times import MAX_NS, NS_PER_MS, whole_ns
from tailc.traces.trace import refuse_running_total, table_of
from tailc.units import format_us

Names = tuple[str, ...]

_NS_PER_US = 1_000
_MOST_COUNTED = 2.0**53
# Further apart, the difference of two whole numbers may not fit into 64 bits.
_MOST_EXACT = 2.0**62


def read_mapped(source: Source, map_: ColumnMap, interval_ns: int | None) -> InputTimes:
    """Count the times of the rows that a map of columns selects; TailcError for bad cells."""
    format_ = format_of(source, "auto")
    wanted = _columns_to_read(map_)
    table = table_of(source, wanted, format_)
    refuse_running_total(source, table, map_.weight)
    where, times = tuple(map_.where.items()), partial(_times_ns, map_=map_)
    counts = count_parts(table, wanted, where, times, map_.weight, interval_ns)
    histogram = histogram_of(counts, source, map_.weight)
    name = f"{NAMES[format_]} by the map `{map_.name}`"
    added = counts.estimated
    return InputTimes(
        name, _times_text(map_), _unit(map_), Grain.REQUESTS, None, histogram, estimated=added
    )


def _columns_to_read(map_: ColumnMap) -> ColumnsToRead:
    numbers, texts = _columns(map_.times.way)
    weights = () if map_.weight is None else (map_.weight,)
    return ColumnsToRead((*numbers, *weights), texts, tuple(map_.where))


def _columns(way: TimeColumnSpec | TimeBetween | TimeOfCounts) -> tuple[Names, Names]:
    """Columns of numbers, and columns that may be date-times, which are read as text."""
    match way:
        case TimeColumnSpec(column=column):
            return (column,), ()
        case TimeBetween(begin=begin, end=end):
            return (), (begin, end)
        case TimeOfCounts(sum=each_us):
            return tuple(each_us), ()


def _times_ns(cells: Cells, map_: ColumnMap) -> Floats:
    """Time of each row [whole ns], NaN if refused."""
    match map_.times.way:
        case TimeColumnSpec(column=column, unit=unit):
            return whole_ns(cells, column, TimeUnit(unit))
        case TimeBetween(begin=begin, end=end, unit=unit):
            return _spans_ns(cells, begin, end, unit)
        case TimeOfCounts(sum=each_us):
            return _sums_ns(cells, each_us)


def _sums_ns(cells: Cells, each_us: dict[str, int]) -> Floats:
    """Sum of counts times their cost [ns]."""
    parts = (
        not_negative(cells, name, _MOST_COUNTED) * us * _NS_PER_US for name, us in each_us.items()
    )
    total_ns = np.rint(sum(parts, np.zeros(cells.count)))
    last = list(each_us)[-1]
    nothing = "and the other counts of its row add up to no time"
    cells.refuse(total_ns == 0, last, Code.NOT_POSITIVE, nothing, MEND)
    much = "and the other counts of its row add up to more than 104 days"
    hint = "correct the cell, or the times in `sum`"
    cells.refuse(total_ns > MAX_NS, last, Code.OUT_OF_RANGE, much, hint)
    return total_ns


def _spans_ns(cells: Cells, begin: str, end: str, unit: str | None) -> Floats:
    """Time from one column to the other [ns]."""
    found = [time_column(cells, name, "a map of `begin` and `end`") for name in (begin, end)]
    first, last = found
    if first is None or last is None:
        return np.full(cells.count, np.nan)
    if first.type != last.type:
        other = f"has the type `{last.type}`, but `{begin}` has `{first.type}`"
        every = np.ones(cells.count, bool)
        cells.refuse(every, end, Code.WRONG_TYPE, other, "write both columns in the same format")
        return np.full(cells.count, np.nan)
    ns_per_unit = _ns_per_unit(cells, begin, first.type, unit)
    spans_ns = np.rint(_between(_raw(first), _raw(last)) * ns_per_unit)
    before = f"is not after `{begin}`"
    cells.refuse(spans_ns <= 0, end, Code.NOT_POSITIVE, before, MEND)
    cells.refuse(spans_ns > MAX_NS, end, Code.OUT_OF_RANGE, "is 104 days later or more", MEND)
    return spans_ns


def _between(first: NDArray, last: NDArray) -> Floats:
    """Difference; whole numbers stay whole, because times since 1970 have too many digits for
    floats."""
    rough = last.astype(np.float64) - first.astype(np.float64)
    return np.where(np.abs(rough) < _MOST_EXACT, last - first, rough)


def _raw(times: pa.ChunkedArray) -> NDArray:
    return numpy_of(times.cast(pa.int64()) if pa.types.is_timestamp(times.type) else times)


def _ns_per_unit(cells: Cells, begin: str, kind: pa.DataType, unit: str | None) -> float:
    is_date = pa.types.is_timestamp(kind)
    if is_date == (unit is None):
        return 1.0 if unit is None else TimeUnit(unit).in_ms * NS_PER_MS
    code = Code.CONFLICT if is_date else Code.MISSING_UNIT
    what = "is a date-time, which has no unit" if is_date else "is a number without a unit"
    hint = "remove `unit` from the map" if is_date else "write `unit: ms`, or ns, us or s"
    cells.refuse(np.ones(cells.count, bool), begin, code, what, hint)
    return 1.0


def _unit(map_: ColumnMap) -> TimeUnit:
    """Unit of the column, or of the computed time."""
    match map_.times.way:
        case TimeColumnSpec(unit=unit):
            return TimeUnit(unit)
        case TimeBetween(unit=unit):
            return TimeUnit(unit or "ns")
        case TimeOfCounts():
            return TimeUnit.NS


def _times_text(map_: ColumnMap) -> str:
    """Description of the times."""
    match map_.times.way:
        case TimeColumnSpec(column=column):
            return column
        case TimeBetween(begin=begin, end=end):
            return f"{begin} to {end}"
        case TimeOfCounts(sum=each_us):
            return " + ".join(f"{format_us(us)} x {name}" for name, us in each_us.items())
