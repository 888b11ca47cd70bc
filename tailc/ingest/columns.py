"""Count the times in a column of a Parquet, CSV or NDJSON table, in a stream."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import pyarrow as pa

from tailc.errors import Code, Place
from tailc.ingest.counting import Counts, Floats, Share, count_shares
from tailc.ingest.input_times import InputTimes
from tailc.ingest.options import TimeColumn
from tailc.traces.arrow import numpy_of
from tailc.traces.cells import Cells, whole
from tailc.traces.counted_times import Grain
from tailc.traces.csv_table import CsvTable
from tailc.traces.histogram import MAX_REQUESTS, Histogram
from tailc.traces.parquet_table import ParquetTable
from tailc.traces.reading import TimeUnit
from tailc.traces.rows_of_percentiles import of_percentiles
from tailc.traces.source import Source, format_of
from tailc.traces.table import ColumnsToRead, Table
from tailc.traces.times import NS_PER_MS, whole_ns
from tailc.traces.trace import (
    Filters,
    in_parts,
    refuse_running_total,
    refuse_steps,
    table_of,
)

# From here on a kernel of our own is faster than pyarrow, with half a second to load it.
LONG_CSV_BYTES = 1 << 27
NAMES = {"csv": "CSV", "ndjson": "NDJSON", "parquet": "Parquet"}


def read_column(
    source: Source, column: TimeColumn, unit: TimeUnit, interval_ns: int | None
) -> InputTimes:
    """Count the times in a column; each row counts once, or as often as a second column says."""
    format_ = format_of(source, "auto")
    wanted = ColumnsToRead(tuple(filter(None, (column.name, column.weight))), (), ())
    table = table_of(source, wanted, format_)
    refuse_running_total(source, table, column.weight)
    refuse_steps(source, table)
    counts = _count(table, wanted, unit.in_ms * NS_PER_MS, interval_ns)
    if counts is None:
        times = partial(whole_ns, name=column.name, unit=unit)
        counts = count_parts(table, wanted, (), times, column.weight, interval_ns)
    name = f"a column of {NAMES[format_]}"
    histogram = histogram_of(counts, source, column.weight)
    added = counts.estimated
    place = Place(source.name, field=column.name)
    return InputTimes(
        name,
        column.name,
        unit,
        Grain.REQUESTS,
        None,
        histogram,
        estimated=added,
        warnings=of_percentiles(place, column.weight, table.names),
    )


def _count(
    table: Table, wanted: ColumnsToRead, ns_per_unit: float, interval_ns: int | None
) -> Counts | None:
    """Counts of all rows; None if some cells cannot be read as numbers directly."""
    try:
        found = _count_blocks(table, wanted, ns_per_unit, interval_ns)
        return found or count_shares(_shares(table, wanted), ns_per_unit, interval_ns)
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        return None


def _count_blocks(
    table: Table, wanted: ColumnsToRead, ns_per_unit: float, interval_ns: int | None
) -> Counts | None:
    """Counts of a long CSV table; None for other tables, or if a cell is not a number."""
    if not isinstance(table, CsvTable) or len(wanted.numbers) > 1:
        return None
    if not table.dialect.is_usual or table.source.size() < LONG_CSV_BYTES:
        return None
    from tailc.ingest.csv_blocks import HasNoBlocksError, csv_shares

    try:
        return count_shares(csv_shares(table, wanted), ns_per_unit, interval_ns)
    except HasNoBlocksError:
        return None


def _shares(table: Table, wanted: ColumnsToRead) -> Iterator[Share]:
    """Parts of the table that threads can read: row groups of Parquet, or all rows."""
    if isinstance(table, ParquetTable):
        yield from (partial(_add_all, batches) for batches in table.groups(wanted))
    else:
        yield partial(_add_all, table.batches(wanted))


def _add_all(batches: Iterator[pa.RecordBatch], counts: Counts) -> bool:
    return all(_add(batch, counts) for batch in batches)


def _add(batch: pa.RecordBatch, counts: Counts) -> bool:
    if not all(map(_is_number, batch.schema.types)):
        return False
    columns = [np.asarray(numpy_of(column), dtype=np.float64) for column in batch.columns]
    return counts.add(*columns) if len(columns) == 1 else counts.add_weighed(*columns)


def _is_number(kind: pa.DataType) -> bool:
    """Whether numpy has the cells of this type unchanged, unlike text and decimals."""
    return pa.types.is_integer(kind) or pa.types.is_floating(kind)


def count_parts(
    table: Table,
    wanted: ColumnsToRead,
    where: Filters,
    times_ns: Callable[[Cells], Floats],
    weight: str | None,
    interval_ns: int | None,
) -> Counts:
    """Count the times in a table in batches, each row once or as often as the column `weight` says.

    times_ns: gives the times of a batch. Raises TailcError for the first batch with bad cells.
    """

    def count_cells(parts: Iterator[Cells]) -> Counts:
        counts = Counts(1.0, interval_ns)
        for cells in parts:
            _count_cells(counts, cells, times_ns(cells), weight)
        return counts

    return in_parts(count_cells, table, wanted, where)


def _count_cells(counts: Counts, cells: Cells, times_ns: Floats, weight: str | None) -> None:
    times = None if weight is None else whole(cells, weight, MAX_REQUESTS)
    cells.stop_if_refused()
    if times is None:
        are_counted = counts.add(times_ns)
    else:
        are_counted = counts.add_weighed(times_ns, times.astype(np.float64))
    assert are_counted, "cells that are all good are counted"


def histogram_of(counts: Counts, source: Source, weight: str | None) -> Histogram:
    """Convert counts to a histogram; TailcError if there are none or too many."""
    bucket = np.flatnonzero(counts.counts)
    if not len(bucket):
        hint = "check that it is the right file, and that the program that writes it has ended"
        raise source.fault(Code.EMPTY_TRACE, f"`{source.name}` has no rows", advice=hint)
    if counts.counts.sum(dtype=np.float64) > MAX_REQUESTS or (counts.counts < 0).any():
        message = f"the weights add up to more than {MAX_REQUESTS:g}"
        hint = "divide all weights by one number, or give fewer rows"
        raise source.fault(Code.OUT_OF_RANGE, message, field=weight, advice=hint)
    least, largest = (int(extreme) for extreme in counts.extremes)
    return Histogram(bucket, counts.counts[bucket], least, largest)
