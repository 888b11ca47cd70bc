"""A table with a column of times: Parquet, CSV or NDJSON, counted as it streams by."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NoReturn

import numpy as np
import pyarrow as pa

from tailc.errors import Code
from tailc.ingest.kernels import count_times
from tailc.ingest.taken import Asked, Taken
from tailc.ingest.texts import unit_asked
from tailc.traces.arrow import numpy_of
from tailc.traces.cells import Cells, whole
from tailc.traces.counted import Grain
from tailc.traces.histogram import BUCKETS, MAX_NS, MAX_REQUESTS, Histogram, bucket_of
from tailc.traces.reading import TimeUnit
from tailc.traces.source import Source, format_of
from tailc.traces.table import Wanted
from tailc.traces.times import NS_PER_MS, whole_ns
from tailc.traces.trace import cells_of, table_of

_NAMES = {"csv": "CSV", "ndjson": "NDJSON", "parquet": "Parquet"}


def read_column(source: Source, asked: Asked) -> Taken:
    """The times in the column asked for; each row counts once, or by the column of weights."""
    assert asked.column is not None
    assert asked.weight != asked.column
    unit = unit_asked(source, asked)
    format_ = format_of(source, "auto")
    wanted = Wanted(tuple(filter(None, (asked.column, asked.weight))), (), ())
    table = table_of(source, wanted, format_)
    counting = _Counting(asked.column, asked.weight, unit)
    try:
        is_counted = counting.add_all(table.batches(wanted))
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        is_counted = False
    if not is_counted:
        counting.refuse(cells_of(table, wanted, source.name))
    name = f"a column of {_NAMES[format_]}"
    histogram = counting.histogram(source)
    return Taken(name, asked.column, unit, Grain.REQUESTS, None, histogram)


class _Counting:
    """Counts so far."""

    def __init__(self, column: str, weight: str | None, unit: TimeUnit) -> None:
        self.column, self.weight, self.unit = column, weight, unit
        self.ns_per_unit = unit.in_ms * NS_PER_MS
        self.counts = np.zeros(BUCKETS, np.int64)
        self.extremes = np.array([np.inf, 0.0])

    def add_all(self, batches: Iterator[pa.RecordBatch]) -> bool:
        """Count every row; whether all of them could be."""
        return all(map(self._add, batches))

    def _add(self, batch: pa.RecordBatch) -> bool:
        times = np.asarray(numpy_of(batch.column(0)), dtype=np.float64)
        if self.weight is None:
            return not count_times(times, self.ns_per_unit, self.counts, self.extremes)
        weight = np.asarray(numpy_of(batch.column(1)), dtype=np.float64)
        demand_ns = np.rint(times * self.ns_per_unit)
        is_good = (demand_ns >= 1) & (demand_ns <= MAX_NS)
        is_good &= (weight >= 1) & (weight <= MAX_REQUESTS) & (weight == np.floor(weight))
        if not is_good.all():
            return False
        if len(times):
            np.add.at(self.counts, bucket_of(demand_ns), weight.astype(np.int64))
            self.extremes[0] = min(self.extremes[0], demand_ns.min())
            self.extremes[1] = max(self.extremes[1], demand_ns.max())
        return True

    def refuse(self, cells: Cells) -> NoReturn:
        """Raise what is bad in these cells, which could not be counted."""
        whole_ns(cells, self.column, self.unit)
        if self.weight is not None:
            whole(cells, self.weight, MAX_REQUESTS)
        cells.stop_if_refused()
        raise AssertionError("cells that are all good could not be counted")

    def histogram(self, source: Source) -> Histogram:
        """What was counted; TailcError where nothing was, or too much."""
        bucket = np.flatnonzero(self.counts)
        if not len(bucket):
            hint = "check that what writes it has ended, and that it is the right file"
            raise source.fault(Code.EMPTY_TRACE, f"`{source.name}` has no rows", advice=hint)
        if self.counts.sum(dtype=np.float64) > MAX_REQUESTS or (self.counts < 0).any():
            message = f"the weights add up to more than {MAX_REQUESTS:g}"
            hint = "divide all weights by one number, or give fewer rows"
            raise source.fault(Code.OUT_OF_RANGE, message, field=self.weight, advice=hint)
        least, largest = (int(extreme) for extreme in self.extremes)
        return Histogram(bucket, self.counts[bucket], least, largest)
