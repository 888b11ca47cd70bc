"""Convert between numpy and pyarrow without importing pandas.

If pandas is installed, pyarrow imports it when it makes an array or scalar from Python or numpy
objects, or converts its own to numpy. This takes a third of a second, and pandas is not used.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray


def numpy_of(column: pa.Array | pa.ChunkedArray) -> NDArray[Any]:
    """Convert a column to numpy, read-only; float64 with NaN for missing cells."""
    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    parts = [_numpy_of(chunk) for chunk in chunks or [pa.nulls(0, column.type)]]
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def truths_of(column: pa.Array | pa.ChunkedArray) -> NDArray[np.bool_]:
    """Convert a column of truth values to numpy; missing cells are false."""
    return numpy_of(column.cast(pa.uint8())) == 1


def mask(chosen: NDArray[np.bool_]) -> pa.BooleanArray:
    """Convert truth values to a pyarrow filter."""
    bits = pa.py_buffer(np.packbits(chosen, bitorder="little"))
    return pa.BooleanArray.from_buffers(pa.bool_(), len(chosen), [None, bits])


def array_of(values: NDArray[Any]) -> pa.Array:
    """Convert numbers to a pyarrow column, without a copy."""
    kind, buffer = pa.from_numpy_dtype(values.dtype), pa.py_buffer(np.ascontiguousarray(values))
    return pa.Array.from_buffers(kind, len(values), [None, buffer])


def text_array(texts: Sequence[str]) -> pa.StringArray:
    """Convert texts to a pyarrow column."""
    encoded = [text.encode() for text in texts]
    ends = np.cumsum([0, *map(len, encoded)], dtype=np.int32)
    return pa.StringArray.from_buffers(
        len(encoded), pa.py_buffer(ends), pa.py_buffer(b"".join(encoded))
    )


def nothing(kind: pa.DataType) -> pa.Scalar:
    """Make a pyarrow scalar that means a missing cell of this type."""
    return pa.nulls(1, kind)[0]


def _numpy_of(chunk: pa.Array) -> NDArray[Any]:
    if not chunk.null_count:
        return np.from_dlpack(chunk)
    values = np.full(len(chunk), np.nan)
    values[truths_of(chunk.is_valid())] = np.from_dlpack(chunk.drop_null())
    return values
