"""Write a trace of throughput as a Parquet file that its reading can read back."""

from __future__ import annotations

import io

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tailc.traces.throughput import US_PER_MS, ThroughputTrace


def written_throughput(trace: ThroughputTrace) -> bytes:
    """Encode a throughput trace as Parquet, with the column names and time unit of its reading.

    Rows are in order of time, then of name. A column by which the reading selects rows has the same
    text in all rows. The number of waiting requests is 1 if there were any. Read back with the same
    reading, the trace has the same digest.
    """
    reading, named = trace.reading, trace.reading.columns
    names = np.concatenate([np.full(len(each.time_us), each.name) for each in trace.series])
    time_us = np.concatenate([each.time_us for each in trace.series])
    order = np.lexsort((names, time_us))
    columns: dict[str, pa.Array] = {
        name: pa.array([text] * len(order), pa.string()) for name, text in reading.rows.where
    }
    columns[named.time] = pa.array(time_us[order] / (reading.measured.unit.in_ms * US_PER_MS))
    columns[named.machine] = pa.array(names[order].tolist(), pa.string())
    throughput = np.concatenate([each.throughput for each in trace.series])
    columns[named.throughput] = pa.array(throughput[order])
    columns[named.share] = pa.array(np.concatenate([s.share for s in trace.series])[order])
    if named.waiting is not None:
        has_work = np.concatenate([each.has_work for each in trace.series])[order]
        columns[named.waiting] = pa.array(has_work.astype(np.int64))
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink, compression="zstd")
    return sink.getvalue()
