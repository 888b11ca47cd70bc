"""Keys that decide which rows are held out: times that can be ordered, and hashes of ids."""

# pyarrow.compute makes its functions when imported, unseen by type checkers.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

import hashlib

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tailc.errors import Code
from tailc.percentiles import PPM
from tailc.traces.arrow import numpy_of, text_array, truths_of
from tailc.traces.cells import MEND, Cells, texts
from tailc.traces.reading import SplitRule

# Kinds of time, tried in this order on the whole column.
TIME_TYPES = (pa.int64(), pa.float64(), pa.timestamp("ns"), pa.timestamp("ns", "UTC"))
# Date-times in ns end with the year 2261; in us they hold every year there is.
FAR_TIME_TYPES = (pa.timestamp("us"), pa.timestamp("us", "UTC"))
MOST_US = (2**63 - 1) // 1000
SLICE_ROWS = 1000
HASH_RANGE = 2**64
# From here on the kernel is faster, although it takes half a second to load.
MANY_ROWS = 1_000_000
# Of a text that the kernel hashes: a block of SHA-256 without its padding.
MOST_BYTES = 55


def time_keys(cells: Cells, name: str) -> NDArray:
    """Convert a column to times in the file's unit: int64 (date-times: ns since 1970) or float64.

    Records cells that are not times; see `time_column`.
    """
    times = time_column(cells, name, "a split by time")
    if times is None:
        return np.zeros(cells.count, dtype=np.int64)
    return numpy_of(times.cast(pa.int64()) if pa.types.is_timestamp(times.type) else times)


def time_column(cells: Cells, name: str, purpose: str) -> pa.ChunkedArray | None:
    """Convert a column to whole numbers, numbers, or timestamps in ns; None if no type fits.

    Text is read as whole numbers, else as numbers, else as ISO 8601 date-times without a time zone,
    else with one; all cells get the same type. Records cells that are not times. purpose: what
    needs the times, for messages.
    """
    column = cells.columns[name]
    times = next((made for kind in TIME_TYPES if (made := _cast(column, kind)) is not None), None)
    if times is None:
        if (far := _far(column)) is not None:
            beyond = "is not between the years 1678 and 2261"
            cells.refuse(far, name, Code.OUT_OF_RANGE, beyond, MEND)
            return None
        help_ = (
            "write numbers, or times like 2012-10-01T06:30:00Z, or name another column: "
            f"{purpose} needs times"
        )
        cells.refuse(_unlike_first(column), name, Code.NOT_A_NUMBER, "is not a valid time", help_)
        return None
    missing = times.is_null(nan_is_null=True)
    cells.refuse(truths_of(missing), name, Code.NOT_A_NUMBER, "is not a valid time", MEND)
    return times


def _cast(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray | None:
    """The column as this type of time; None if a cell is not of this type."""
    is_date = pa.types.is_temporal(column.type)
    if pa.types.is_timestamp(kind) and pa.types.is_string(column.type):
        column = _with_point(column)
    if is_date != pa.types.is_timestamp(kind) and not pa.types.is_string(column.type):
        return None
    try:
        # A number too large for 64 bits may be rounded, not refused.
        return column.cast(kind, safe=pa.types.is_string(column.type) or kind != pa.float64())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None


def _with_point(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The texts, with decimal points in seconds with a decimal comma."""
    if not pc.any(pc.match_substring(column, ",")).as_py():
        return column
    return pc.replace_substring_regex(column, r"(:[0-9]{2}),([0-9]+)", r"\1.\2")


def _far(column: pa.ChunkedArray) -> NDArray[np.bool_] | None:
    """Which date-times do not fit into 64 bits of ns; None if the column also has other cells."""
    times = next(
        (made for kind in FAR_TIME_TYPES if (made := _cast(column, kind)) is not None), None
    )
    if times is None:
        return None
    return np.abs(np.nan_to_num(numpy_of(times.cast(pa.int64())))) > MOST_US


def first_kind(column: pa.ChunkedArray) -> pa.DataType | None:
    """The type of the first cell of a column of times: float64 for a number, or a timestamp.

    None if the cell is no time.
    """
    first = column.slice(0, 1)
    return next((kind for kind in TIME_TYPES[1:] if _cast(first, kind) is not None), None)


def _unlike_first(column: pa.ChunkedArray) -> NDArray[np.bool_]:
    """Which cells are not times of the type of the first cell."""
    kind = first_kind(column) or pa.float64()
    unlike = np.zeros(len(column), dtype=bool)
    for start in range(0, len(column), SLICE_ROWS):
        piece = column.slice(start, SLICE_ROWS)
        if _cast(piece, kind) is None:
            cells = (_cast(piece.slice(i, 1), kind) for i in range(len(piece)))
            unlike[start : start + len(piece)] = [cell is None for cell in cells]
    return unlike


def id_keys(cells: Cells, name: str) -> NDArray[np.uint64]:
    """First 8 bytes, big-endian, of the SHA-256 of each id as UTF-8 text."""
    filled = texts(cells, name).fill_null(text_array([""])[0])
    encoded = filled.combine_chunks().dictionary_encode()
    keys = [hash_key(text) for text in encoded.dictionary.to_pylist()]
    return np.array(keys, dtype=np.uint64)[numpy_of(encoded.indices)]


def hash_key(text: str) -> int:
    """First 8 bytes, big-endian, of the SHA-256 of a text."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def drawn_keys(seed: int, first: int, rows: int) -> NDArray[np.uint64]:
    """First 8 bytes, big-endian, of the SHA-256 of the texts `seed:row`, for consecutive rows."""
    is_short = len(f"{seed}:{first + rows}") <= MOST_BYTES
    if rows >= MANY_ROWS and is_short:
        from tailc.traces.sha256_kernels import CONSTANTS, START, hash_rows

        keys = np.empty(rows, np.uint64)
        hash_rows(np.frombuffer(f"{seed}:".encode(), np.uint8), first, keys, CONSTANTS, START)
        return keys
    drawn = (hash_key(f"{seed}:{row}") for row in range(first, first + rows))
    return np.fromiter(drawn, dtype=np.uint64, count=rows)


def below_fraction(keys: NDArray[np.uint64], rule: SplitRule) -> NDArray[np.bool_]:
    """Whether each hash is in the held-out share of the range of hashes."""
    # key < ppm * 2^64 / 10^6 for whole keys is key < the bound rounded up.
    return keys < np.uint64(-(-rule.fraction_ppm * HASH_RANGE // PPM))


def side_of(keys: NDArray[np.uint64], rule: SplitRule) -> NDArray[np.uint64]:
    """Replace split keys by two values: the smallest key for held-out rows, the largest for others.

    Thus rows that differ only by their key become equal and can be merged.
    """
    return np.where(below_fraction(keys, rule), np.uint64(0), np.uint64(HASH_RANGE - 1))
