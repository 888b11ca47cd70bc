"""Read CSV in any dialect, with quotes `"`; blank lines are not rows.

Without a header the columns are called `column_1`, `column_2`, ...
"""

# pyarrow.compute makes its functions when imported, unseen by type checkers.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

import codecs
import csv
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv

from tailc.errors import Code, Finding, Place, TailcError
from tailc.traces.csv_dialect import SAMPLE_LINES, Dialect, dialect_of, rows_of
from tailc.traces.first_line import doubtful_value
from tailc.traces.source import HEAD_BYTES, Source, brief
from tailc.traces.table import BLOCK_BYTES, ColumnsToRead
from tailc.units import plural

SHOWN = 3
_SAVE = "save it as CSV in UTF-8 with a header line, or state its format with `format`"
_QUOTE = "quote cells that contain commas"
_DECIMAL = r"^(\s*[+-]?[0-9]+),([0-9]+\s*)$"
_FILL = "check whether the row was cut; write an empty cell where a value is missing"

OnRagged = Callable[[pa_csv.InvalidRow], str]


class CsvTable:
    """The rows of a CSV file; see `Table`.

    header: column names; if given, every line of the file is a row.
    """

    def __init__(self, source: Source, header: tuple[str, ...] | None = None) -> None:
        self.source = source
        self.header = header

    @property
    def names(self) -> tuple[str, ...]:
        return self._header_names if self.header is None else self.header

    @cached_property
    def dialect(self) -> Dialect:
        """The dialect of the CSV file: delimiter, decimal mark and header."""
        return dialect_of(self._head)

    @cached_property
    def _head(self) -> str:
        return self.source.head().decode(errors="replace")

    @property
    def _line_names(self) -> tuple[str, ...] | None:
        """Names of the columns if every line is a row; None if the first line has the names."""
        return self.header or self.dialect.unnamed or None

    @cached_property
    def _header_names(self) -> tuple[str, ...]:
        if self.dialect.unnamed:
            return self.dialect.unnamed
        if "\n" not in self._head and len(self.source.head()) == HEAD_BYTES:
            message = f"the first line of `{self.source.name}` is longer than {HEAD_BYTES:,} bytes"
            hint = "check that the file is CSV, or remove columns that are not needed"
            raise self.source.fault(Code.TRACE_TOO_LARGE, message, advice=hint)
        try:
            records = rows_of(self._head, self.dialect.delimiter)
            header = next((record for record in records if record), None)
        except csv.Error:
            header = ["\ufffd"]
        if header is None:
            message = f"`{self.source.name}` has no header line"
            hint = "begin it with a line of column names"
            raise self.source.fault(Code.EMPTY_TRACE, message, advice=hint)
        if any("\ufffd" in name for name in header):
            raise self.source.fault(
                Code.BROKEN_FORMAT,
                f"`{self.source.name}` does not start with a CSV header in UTF-8",
                advice=_SAVE,
            )
        return tuple(header)

    def doubtful_name(self) -> str | None:
        """A column name that looks like a value, if the first line may be a row; else None."""
        if self.dialect.unnamed or not (rows := self._first_rows):
            return None
        return doubtful_value(rows[0], rows[1:], self.dialect)

    def values_as_names(self, wanted: Iterable[str]) -> list[str]:
        """Names that are requested as columns, but are in the first line only because it is a row.

        wanted: the requested names.
        """
        if not self.dialect.unnamed or not (rows := self._first_rows):
            return []
        return [name for name in wanted if name in rows[0]]

    @cached_property
    def _first_rows(self) -> list[list[str]]:
        """The first records, with the header; empty if they are malformed."""
        lines = "\n".join(self._head.splitlines()[:SAMPLE_LINES])
        try:
            return [row for row in rows_of(lines, self.dialect.delimiter) if row]
        except csv.Error:
            return []

    def batches(self, wanted: ColumnsToRead) -> Iterator[pa.RecordBatch]:
        if self._has_no_rows():
            return
        reading, converting = self._options(wanted, wanted.is_number)
        with (
            self.source.plain() as stream,
            pa_csv.open_csv(stream, reading, self._parsing(), converting) as reader,
        ):
            yield from map(self._with_points, reader)

    def batches_of(self, lines: pa.NativeFile, wanted: ColumnsToRead) -> list[pa.RecordBatch]:
        """Batches of whole lines that follow the header; single-threaded; see `batches`."""
        reading, converting = CsvTable(self.source, self.names)._options(
            wanted, wanted.is_number, use_threads=False
        )
        table = pa_csv.read_csv(lines, reading, self._parsing(), converting)
        return list(map(self._with_points, table.to_batches()))

    def careful_batches(self, wanted: ColumnsToRead) -> Iterator[pa.RecordBatch]:
        self.source.check_whole()
        is_utf8 = _is_utf8(self.source)
        ragged: list[tuple[int, pa_csv.InvalidRow]] = []
        rows, table = 0, self
        try:
            for records in [] if self._has_no_rows() else _records(self.source):
                skipped: list[pa_csv.InvalidRow] = []
                # pyarrow cannot hand over a ragged row that is not UTF-8.
                found = table._all_text(records, wanted, skipped if is_utf8 else None)
                # The reader counts the header, where there is one, as row 1.
                before = rows - (table._line_names is None)
                ragged += [(before + row.number, row) for row in skipped]
                rows += found.num_rows + len(skipped)
                yield from map(self._with_points, found.to_batches())
                table = CsvTable(self.source, self.names) if table is self else table
        except (pa.ArrowInvalid, UnicodeDecodeError) as error:
            raise self._unreadable(error, is_utf8) from None
        if ragged:
            raise TailcError(self._ragged_row(ragged))

    def _all_text(
        self, records: bytes, wanted: ColumnsToRead, skipped: list[pa_csv.InvalidRow] | None
    ) -> pa.Table:
        """The wanted columns of the records as text; also lists records with a wrong number of
        cells."""

        parsing = self._parsing(None if skipped is None else _skips(skipped))
        # The unthreaded reader of a whole buffer knows the row numbers of ragged rows, and calls
        # back on this thread. That of a stream does so on a thread of its own, which outlives it:
        # where the process ends soon after, it is aborted.
        reading, converting = self._options(wanted, lambda _name: False, use_threads=False)
        return pa_csv.read_csv(pa.BufferReader(records), reading, parsing, converting)

    def _with_points(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The same cells, with decimal points in numbers that were read as text."""
        if self.dialect.decimal == ".":
            return batch
        cells = [
            pc.replace_substring_regex(column, _DECIMAL, r"\1.\2")
            if pa.types.is_string(column.type)
            else column
            for column in batch.columns
        ]
        return pa.RecordBatch.from_arrays(cells, batch.schema.names)

    def _options(
        self, wanted: ColumnsToRead, is_number: Callable[[str], bool], use_threads: bool = True
    ) -> tuple[pa_csv.ReadOptions, pa_csv.ConvertOptions]:
        types = {name: pa.float64() if is_number(name) else pa.string() for name in wanted.names}
        return (
            pa_csv.ReadOptions(
                block_size=BLOCK_BYTES, use_threads=use_threads, column_names=self._line_names
            ),
            pa_csv.ConvertOptions(
                column_types=types,
                include_columns=list(wanted.names),
                null_values=[],
                decimal_point=self.dialect.decimal,
            ),
        )

    def _has_no_rows(self) -> bool:
        """Whether the file has only a header, which pyarrow reports as an error."""
        return self._line_names is None and "\n" not in self._head and "\r" not in self._head

    def _unreadable(self, error: Exception, is_utf8: bool) -> TailcError:
        if not is_utf8:
            message = f"`{self.source.name}` is not UTF-8 text"
            return self.source.fault(Code.BROKEN_FORMAT, message, advice=_SAVE)
        message = f"`{self.source.name}` cannot be read as CSV ({brief(error)})"
        return self.source.fault(Code.BROKEN_FORMAT, message, advice=_SAVE)

    def _ragged_row(self, ragged: list[tuple[int, pa_csv.InvalidRow]]) -> Finding:
        first = ragged[0][1]
        rows = [number for number, _row in ragged[:SHOWN]]
        cells = plural(first.actual_columns, "cell")
        message = f"row has {cells} where the header has {first.expected_columns}"
        if len(ragged) > 1:
            shown = ", ".join(map(str, rows))
            message += (
                f" (first of {len(ragged)} such rows: {shown}{'...' * (len(ragged) > SHOWN)})"
            )
        place = Place(self.source.name, row=rows[0], excerpt=first.text)
        is_short = first.actual_columns < first.expected_columns
        return Finding(Code.RAGGED_ROW, message, place, _FILL if is_short else _QUOTE)

    def _parsing(self, on_ragged: OnRagged | None = None) -> pa_csv.ParseOptions:
        return pa_csv.ParseOptions(
            delimiter=self.dialect.delimiter,
            newlines_in_values=True,
            invalid_row_handler=on_ragged,
        )


def _skips(skipped: list[pa_csv.InvalidRow]) -> OnRagged:
    def skip(row: pa_csv.InvalidRow) -> str:
        skipped.append(row)
        return "skip"

    return skip


def _records(source: Source) -> Iterator[bytes]:
    """Whole records in blocks; line breaks between quotes do not end a record."""
    rest = b""
    with source.plain() as stream:
        # As much again as there is, so that a long piece is not copied often.
        while block := stream.read(max(BLOCK_BYTES, len(rest))):
            rest += block
            end = rest.rfind(b"\n") + 1
            is_quoted = rest.count(b'"', 0, end) % 2 == 1
            while is_quoted and end:
                quote = rest.rfind(b'"', 0, end)
                end = rest.rfind(b"\n", 0, quote) + 1
                is_quoted = rest.count(b'"', end, quote) % 2 == 1
            if end:
                yield rest[:end]
                rest = rest[end:]
    if rest:
        yield rest


def _is_utf8(source: Source) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    with source.plain() as stream:
        try:
            while block := stream.read(BLOCK_BYTES):
                decoder.decode(block)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return False
    return True
