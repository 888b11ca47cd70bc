"""Read one JSON object per line; the first object names the columns; blank lines are not rows."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from functools import cached_property

import pyarrow as pa
import pyarrow.json as pa_json

from tailc.errors import Code, TailcError
from tailc.traces.json_rows import rows_within
from tailc.traces.source import Source
from tailc.traces.table import BATCH_ROWS, BLOCK_BYTES, ColumnsToRead
from tailc.units import number_text

# In an NDJSON file of one endless line, what is read before it is refused.
MAX_LINE_BYTES = 1 << 22
_ONE_A_LINE = 'write one object on each line, such as `{"demand_ms": 12.5}`'
# Half of a surrogate pair can stand in JSON, written as an escape, but is no character.
SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")

Pairs = list[tuple[str, object]]


class NdjsonTable:
    """The rows of a file with one JSON object per line; implements `Table`."""

    def __init__(self, source: Source) -> None:
        self.source = source

    @cached_property
    def _first(self) -> Pairs:
        for _row, pairs in self._objects():
            return pairs
        return []

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for name, _value in self._first)

    def batches(self, wanted: ColumnsToRead) -> Iterator[pa.RecordBatch]:
        values = dict(self._first)
        fields = []
        for name in wanted.names:
            if wanted.is_number(name):
                fields.append(pa.field(name, pa.float64()))
            elif isinstance(values[name], str):
                fields.append(pa.field(name, pa.string()))
            else:
                # pyarrow does not turn numbers into text.
                raise pa.ArrowInvalid(f"column {name} is not text")
        with self.source.plain() as stream:
            yield from pa_json.open_json(
                stream,
                pa_json.ReadOptions(block_size=BLOCK_BYTES),
                pa_json.ParseOptions(
                    explicit_schema=pa.schema(fields), unexpected_field_behavior="ignore"
                ),
            )

    def careful_batches(self, wanted: ColumnsToRead) -> Iterator[pa.RecordBatch]:
        self.source.check_whole()
        columns: dict[str, list[str | None]] = {name: [] for name in wanted.names}
        for row, pairs in self._objects():
            values = dict(pairs)
            if len(values) < len(pairs):
                self._refuse_repeated(pairs, wanted, row)
            try:
                for name, cells in columns.items():
                    cells.append(_text(values.get(name)))
            except RecursionError:
                raise self._too_deep(row) from None
            if row % BATCH_ROWS == 0:
                yield _text_batch(columns)
                columns = {name: [] for name in wanted.names}
        yield _text_batch(columns)

    def _objects(self) -> Iterator[tuple[int, Pairs]]:
        """Row number and members of each object; numbers keep their text."""
        row = 0
        for line in self.source.lines(MAX_LINE_BYTES):
            if line.strip():
                row += 1
                if len(line) > MAX_LINE_BYTES:
                    message = f"line is longer than {MAX_LINE_BYTES:,} bytes"
                    hint = (
                        "end each object with a line break, and remove members that are not needed"
                    )
                    raise self.source.fault(Code.TRACE_TOO_LARGE, message, row=row, advice=hint)
                yield row, self._object(line, row)

    def _object(self, line: bytes, row: int) -> Pairs:
        try:
            pairs = json.loads(
                line,
                object_pairs_hook=_Members,
                parse_int=_Number,
                parse_float=_Number,
                parse_constant=_Number,
            )
            is_unicode = not SURROGATE.search(line) or _is_unicode(pairs)
        except RecursionError:
            raise self._too_deep(row) from None
        except ValueError:
            cut = not line.endswith(b"\n") and line.lstrip().startswith(b"{")
            code = Code.TRUNCATED if cut else Code.BROKEN_FORMAT
            message = "the last line ends in the middle" if cut else "line is not a JSON object"
            hint = "write or copy the file again" if cut else self._advice(line)
            raise self.source.fault(code, message, row=row, advice=hint) from None
        if not isinstance(pairs, _Members):
            message = "line is not a JSON object"
            raise self.source.fault(Code.BROKEN_FORMAT, message, row=row, advice=self._advice(line))
        if not is_unicode:
            message = "the line has half of a surrogate pair, which is not a character"
            hint = "write both halves, or the character itself in UTF-8"
            raise self.source.fault(Code.BROKEN_FORMAT, message, row=row, advice=hint)
        return pairs

    def _advice(self, line: bytes) -> str:
        if line.rstrip().endswith((b"},", b"};")):
            return (
                "remove what follows each object, such as by `sed 's/[,;]$//' FILE > rows.ndjson`"
            )
        rows = rows_within(self.source)
        return _ONE_A_LINE if rows is None else rows.advice

    def _too_deep(self, row: int) -> TailcError:
        message = "values of the line are nested too deeply"
        hint = "remove the members of each object that are not needed"
        return self.source.fault(Code.BROKEN_FORMAT, message, row=row, advice=hint)

    def _refuse_repeated(self, pairs: Pairs, wanted: ColumnsToRead, row: int) -> None:
        names = [name for name, _value in pairs]
        for name in wanted.names:
            if names.count(name) > 1:
                message = f"column `{name}` occurs {names.count(name)} times in one object"
                hint = "rename or drop all but one"
                raise self.source.fault(
                    Code.DUPLICATE_COLUMN, message, row=row, field=name, advice=hint
                )


class _Members(list):
    """The members of a JSON object, in order."""


class _Number(str):
    """A JSON number as written."""

    __slots__ = ()


def _is_unicode(pairs: Pairs) -> bool:
    try:
        json.dumps(pairs, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _text(value: object) -> str | None:
    if isinstance(value, _Number):
        return _number_text(value)
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value)


def _number_text(written: str) -> str:
    """Canonical text of a number; as written if it is too large for a float64."""
    if written.lstrip("-").isdigit():
        return "0" if written == "-0" else written
    value = float(written)
    return number_text(value) if math.isfinite(value) else written


def _text_batch(columns: dict[str, list[str | None]]) -> pa.RecordBatch:
    arrays = [pa.array(cells, pa.string()) for cells in columns.values()]
    return pa.RecordBatch.from_arrays(arrays, list(columns))
