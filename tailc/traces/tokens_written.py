"""Write requests to a language model as a Parquet file that their reading can read back."""

from __future__ import annotations

import io

import pyarrow as pa
import pyarrow.parquet as pq

from tailc.traces.tokens import US_PER_MS, TokenTrace


def written_tokens(trace: TokenTrace) -> bytes:
    """The requests as Parquet, with the column names and time unit of their reading.

    Times count from the first request. What the reading keeps rows by is a column that has the same
    text everywhere. Read back by the reading, the digest is the same.
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
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink, compression="zstd")
    return sink.getvalue()
