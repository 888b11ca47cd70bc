"""Read texts of times with their unit, such as `6.5ms`, `350 µs` and `1m2.5s`.

Programs in Go and dashboards write them.
"""

# pyarrow.compute makes its functions when imported, unseen by type checkers.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tailc.traces.arrow import truths_of
from tailc.traces.reading import TimeUnit

UNLIKE_OTHERS = "has no unit, unlike most cells of its column"
_TEXT = (
    r"^\s*(?:(?P<hours>[0-9]+)h)?(?:(?P<minutes>[0-9]+)m)?(?P<number>[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"
    r"\s?(?P<unit>nsec|ns|usec|us|µs|μs|msec|ms|secs?|s|mins?|h)\s*$"
)
_IN_MS = {
    **dict.fromkeys(("ns", "nsec"), 1e-6),
    **dict.fromkeys(("us", "usec"), 1e-3),
    "µs": 1e-3,
    # The Greek letter, where the one before is the sign of micro.
    "μs": 1e-3,
    **dict.fromkeys(("ms", "msec"), 1.0),
    **dict.fromkeys(("s", "sec", "secs"), 1e3),
    **dict.fromkeys(("min", "mins"), 6e4),
    "h": 3.6e6,
}
_NUMBER = r"^\s*[+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?\s*$"


def have_units(column: pa.ChunkedArray) -> bool:
    """Whether cells are texts of times with their unit.

    False if a cell is a plain number, whose unit would be unknown.
    """
    if not pa.types.is_string(column.type):
        return False
    return bool(_matching(column, _TEXT).any()) and not _matching(column, _NUMBER).any()


def without_unit(column: pa.ChunkedArray) -> NDArray[np.bool_]:
    """Whether each cell is a plain number in a column whose other cells are times with units.

    Only if most cells are such times; else none.
    """
    if not pa.types.is_string(column.type):
        return np.zeros(len(column), np.bool_)
    plain = _matching(column, _NUMBER)
    return plain & bool(plain.sum() < _matching(column, _TEXT).sum())


def _matching(column: pa.ChunkedArray, pattern: str) -> NDArray[np.bool_]:
    return truths_of(pc.fill_null(pc.match_substring_regex(column, pattern), False))


def unit_of(column: pa.ChunkedArray) -> TimeUnit:
    """The unit of the times in a column of texts, or milliseconds if they have several units."""
    units = pc.unique(pc.struct_field(pc.extract_regex(column, _TEXT), "unit")).to_pylist()
    in_ms = {_IN_MS[unit] for unit in units if unit is not None}
    return next((unit for unit in TimeUnit if {unit.in_ms} == in_ms), TimeUnit.MS)


def in_numbers(column: pa.ChunkedArray, in_ms: float) -> pa.ChunkedArray:
    """Convert times with their unit to numbers in a unit of `in_ms` milliseconds."""
    parts = pc.extract_regex(column, _TEXT)
    which = pc.index_in(pc.struct_field(parts, "unit"), pa.array(list(_IN_MS)))
    factor = pa.chunked_array([pa.array(list(_IN_MS.values())).take(which.combine_chunks())])
    total = pc.multiply(_numbers(parts, "number"), factor)
    for field, scale in (("hours", _IN_MS["h"]), ("minutes", _IN_MS["min"])):
        total = pc.add(total, pc.multiply(_numbers(parts, field), scale))
    return pc.coalesce(pc.divide(total, in_ms).cast(pa.string()), column)


def _numbers(parts: pa.ChunkedArray, field: str) -> pa.ChunkedArray:
    text = pc.struct_field(parts, field)
    return pc.replace_substring_regex(text, "^$", "0").cast(pa.float64())
