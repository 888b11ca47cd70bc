"""Merge equal rows of a trace while reading, so that memory holds only different rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tailc.errors import Code, Place, TailcError
from tailc.traces.arrow import array_of, numpy_of
from tailc.traces.cells import Cells
from tailc.traces.curves import Curves
from tailc.traces.expansion import most_bytes, too_expanded
from tailc.traces.reading import DemandReading, SplitBy
from tailc.traces.request_rows import RequestRows, excess_weight, request_rows
from tailc.traces.source import Source
from tailc.traces.split_keys import drawn_keys, first_kind, side_of

# Memory of a curve in addition to its values: a Python object, and its entry in a dictionary.
_BYTES_A_CURVE = 200
_REPEATS = "repeats"


def equal_rows(parts: Iterator[Cells], reading: DemandReading, source: Source) -> RequestRows:
    """Merge equal requests of all parts of a trace, and count the rows of each different one.

    The result is sorted by demand. The key of a split by hash or seed is replaced by one value for
    the design trace and one for the held-out trace. Raises TailcError for the first part with bad
    cells, and if there are too many different rows.
    """
    limit = most_bytes(source)
    merged, curves, keys = _MergedRows(), _CurveTable(reading), _Keys(reading)
    for cells in parts:
        rows = request_rows(cells, reading)
        columns = {"demand": rows.demand_ns, "weight": rows.weight, "memory": rows.memory_ns}
        columns |= {"curve": curves.numbers(rows.curves), "key": keys.keys_of(rows, cells)}
        merged.add({name: values for name, values in columns.items() if values is not None})
        if merged.nbytes + curves.nbytes > limit:
            raise too_expanded(source, limit)
    found = merged.columns()
    weight, repeats = found["weight"], found[_REPEATS]
    place = Place(source.name, field=reading.weight)
    if excess := excess_weight(weight * repeats.astype(np.float64), place):
        raise TailcError(excess)
    speedups = curves.curves_of(found["curve"])
    memory, key = found.get("memory"), found.get("key")
    return RequestRows(found["demand"], memory, weight * repeats, speedups, key, repeats)


class _MergedRows:
    """Different rows so far; new rows are merged when they are twice as many as the merged ones."""

    def __init__(self) -> None:
        self._tables: list[pa.Table] = []
        self._rows = 0

    @property
    def nbytes(self) -> int:
        return sum(table.nbytes for table in self._tables)

    def add(self, columns: dict[str, NDArray]) -> None:
        columns[_REPEATS] = np.ones(len(columns["demand"]), np.int64)
        arrays = {name: array_of(values) for name, values in columns.items()}
        self._tables.append(_distinct(pa.table(arrays)))
        if sum(table.num_rows for table in self._tables) > 2 * self._rows:
            self._merge()

    def columns(self) -> dict[str, NDArray]:
        """The different rows, sorted by the first column, then by the others."""
        self._merge()
        (table,) = self._tables
        found = {name: numpy_of(table.column(name)) for name in table.schema.names}
        order = np.lexsort([values for name, values in found.items() if name != _REPEATS][::-1])
        return {name: values[order] for name, values in found.items()}

    def _merge(self) -> None:
        # Times are whole numbers in one part, and floats in another.
        self._tables = [_distinct(pa.concat_tables(self._tables, promote_options="permissive"))]
        self._rows = self._tables[0].num_rows


def _distinct(table: pa.Table) -> pa.Table:
    names = [name for name in table.schema.names if name != _REPEATS]
    found = pa.TableGroupBy(table, names, use_threads=False).aggregate([(_REPEATS, "sum")])
    return found.select([*names, f"{_REPEATS}_sum"]).rename_columns([*names, _REPEATS])


class _CurveTable:
    """The speed-up curves of the rows of all parts; different ones if each row has its own."""

    def __init__(self, reading: DemandReading) -> None:
        self._are_shared = bool(reading.curves)
        self._curves: Curves | None = None
        self._number_of: dict[bytes, int] = {}

    @property
    def nbytes(self) -> int:
        return len(self._number_of) * _BYTES_A_CURVE

    def numbers(self, curves: Curves) -> NDArray[np.int32]:
        self._curves = curves
        if self._are_shared:
            return curves.of
        known = self._number_of
        numbers = [known.setdefault(one.tobytes(), len(known)) for one in curves.speedup]
        return np.array(numbers, np.int32)[curves.of]

    def curves_of(self, numbers: NDArray[np.int32]) -> Curves:
        """The curves of requests, given their numbers in this table."""
        assert self._curves is not None, "a trace without rows is refused"
        if self._are_shared:
            return replace(self._curves, of=numbers)
        speedup = np.frombuffer(b"".join(self._number_of))
        return Curves(speedup.reshape(len(self._number_of), -1), numbers, ())


class _Keys:
    """The split keys of merged rows; None without a split."""

    def __init__(self, reading: DemandReading) -> None:
        self._rule = reading.rows.split
        self._rows = 0
        self._kind: pa.DataType | None = None

    def keys_of(self, rows: RequestRows, cells: Cells) -> NDArray | None:
        first, keys = self._rows + 1, rows.split_key
        self._rows += cells.count
        if self._rule is None or not cells.count:
            return keys
        if keys is None or self._rule.column is None:
            return side_of(drawn_keys(self._rule.seed, first, cells.count), self._rule)
        if self._rule.by is SplitBy.HASH:
            return side_of(keys, self._rule)
        self._check_kind(cells, self._rule.column)
        return keys

    def _check_kind(self, cells: Cells, column: str) -> None:
        """Raise TailcError if times have another type than those of earlier parts."""
        kind = first_kind(cells.columns[column])
        self._kind = self._kind or kind
        if kind != self._kind:
            what = f"has the type `{kind}`, but earlier times have `{self._kind}`"
            hint = "write all times in the same format"
            cells.refuse(np.ones(cells.count, np.bool_), column, Code.NOT_A_NUMBER, what, hint)
            cells.stop_if_refused()
