"""What a split goes by: times that can be ordered, ids hashed the same everywhere."""

from __future__ import annotations

import hashlib

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tailc.errors import Code
from tailc.traces.cells import Cells, texts

TIME_TYPES = (pa.int64(), pa.float64(), pa.timestamp("ns"), pa.timestamp("ns", "UTC"))


def time_keys(cells: Cells, name: str) -> NDArray:
    """The column as times: int64 (date-times as ns since 1970) or float64, in the file's unit.

    Text is taken as whole numbers, else as numbers, else as ISO 8601 date-times.
    """
    column = cells.columns[name]
    for kind in TIME_TYPES if not pa.types.is_temporal(column.type) else TIME_TYPES[2:]:
        try:
            times = column.cast(kind)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            continue
        return _ordered(cells, name, times)
    help_ = "a split by time needs a column of numbers or ISO 8601 date-times"
    readable = np.array([_is_time(cells.text_of(name, i)) for i in range(cells.count)])
    cells.refuse(~readable, name, Code.NOT_A_NUMBER, "is not a time", help_)
    return np.zeros(cells.count, dtype=np.int64)


def _ordered(cells: Cells, name: str, times: pa.ChunkedArray) -> NDArray:
    missing = times.is_null(nan_is_null=True)
    cells.refuse(missing.to_numpy(), name, Code.NOT_A_NUMBER, "is not a time")
    if pa.types.is_timestamp(times.type):
        times = times.cast(pa.int64())
    return times.to_numpy()


def _is_time(text: str | None) -> bool:
    if text is None:
        return False
    for kind in TIME_TYPES:
        try:
            pa.array([text]).cast(kind)
        except pa.ArrowInvalid:
            continue
        return True
    return False


def id_keys(cells: Cells, name: str) -> NDArray[np.uint64]:
    """The first 8 bytes, big-endian, of the SHA-256 of each id's text in UTF-8."""
    encoded = texts(cells, name).fill_null("").combine_chunks().dictionary_encode()
    keys = [hash_key(text) for text in encoded.dictionary.to_pylist()]
    return np.array(keys, dtype=np.uint64)[encoded.indices.to_numpy()]


def hash_key(text: str) -> int:
    """The first 8 bytes, big-endian, of the text's SHA-256."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
