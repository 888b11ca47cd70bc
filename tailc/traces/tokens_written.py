"""Write requests to a language model as a Parquet file that their reading can read back."""

from __future__ import annotations

import io

import pyarrow as pa
import pyarrow.parquet as pq

from tailc.traces.tokens import US_PER_MS, TokenTrace


def written_tokens(trace: TokenTrace) -> bytes:
    """Encode requests to a language model as Parquet, with the columns and unit of their reading.

    Times count from the first request. A column by which the reading selects rows has the same text
    in all rows. Read back with the same reading, the trace has the same digest.
    """
    reading, named = trace.reading, trace.reading.columns
    columns: dict[str, pa.Array] = {
        name: pa.array([text] * trace.requests, pa.string()) for name, text in reading.rows.where
    }
    columns[named.time] = pa.array(trace.arrival_us / (reading.measured.unit.in_ms * US_PER_MS))
    columns[named.prompt] = pa.array(trace.prompt)
    columns[named.output] = pa.array(trace.output)
    if named.cached is not None:
        columns[named.cached] = pa.array(trace.cached)
    if named.request_class is not None and trace.request_class is not None:
        columns[named.request_class] = pa.array(trace.request_class.tolist(), pa.string())
    if named.priority is not None and trace.priority is not None:
        columns[named.priority] = pa.array(trace.priority)
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink, compression="zstd")
    return sink.getvalue()
