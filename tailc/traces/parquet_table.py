"""Read Parquet files by column and in batches."""

# pyarrow.compute makes its functions when imported, unseen by type checkers.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tailc.errors import Code
from tailc.traces.expansion import too_expanded
from tailc.traces.source import PARQUET_MAGIC, Source, brief
from tailc.traces.table import BATCH_ROWS, NOTHING, ColumnsToRead

# What a footer may claim before anything is allocated for it.
MAX_ROWS = 1 << 31
MAX_GROUP_BYTES = 1 << 33
# Of the texts of one batch, where a dictionary has them once.
MAX_TEXT_BYTES = 1 << 27
# Of numbers, which are never long, more are read at a time: pyarrow is a fifth faster for it.
# As cells of all columns together.
NUMBER_ROWS = 1 << 20
# What is read of a column at a time, so that a large row group is not held compressed.
BUFFER_BYTES = 1 << 20
_AGAIN = "write or copy the file again"


class ParquetTable:
    """The rows of a Parquet file; implements `Table`.

    The rows and bytes that the footer states are checked against limits before data is read. Sizes
    in page headers are not checked, because only the decoder sees them. Read files from untrusted
    sources in a process with a memory limit.
    """

    def __init__(self, source: Source) -> None:
        self.source = source

    @cached_property
    def names(self) -> tuple[str, ...]:
        with self._open() as file:
            return tuple(file.schema_arrow.names)

    def batches(self, wanted: ColumnsToRead) -> Iterator[pa.RecordBatch]:
        with self._open() as file:
            # Only columns of a usable type can be opened as dictionaries.
            self._check_types(file.schema_arrow, wanted)
            self._check_claims(file.metadata, wanted)
            footer = file.metadata
        with self._open(footer, wanted) as file:
            yield from self._batches(file, wanted, range(file.num_row_groups))

    def groups(self, wanted: ColumnsToRead) -> Iterator[Iterator[pa.RecordBatch]]:
        """Yield the batches of each row group, which separate threads can read; see `batches`."""
        with self._open() as file:
            self._check_types(file.schema_arrow, wanted)
            self._check_claims(file.metadata, wanted)
            for group in range(file.num_row_groups):
                yield self._group(file.metadata, wanted, group)

    def _group(
        self, footer: pq.FileMetaData, wanted: ColumnsToRead, group: int
    ) -> Iterator[pa.RecordBatch]:
        with self._open(footer, wanted) as file:
            yield from self._batches(file, wanted, [group])

    def careful_batches(self, wanted: ColumnsToRead) -> Iterator[pa.RecordBatch]:
        try:
            yield from self.batches(wanted)
        except (pa.ArrowException, OSError) as error:
            message = f"`{self.source.name}` has broken Parquet data ({brief(error)})"
            raise self.source.fault(Code.BROKEN_FORMAT, message, advice=_AGAIN) from None

    @contextmanager
    def _open(
        self, footer: pq.FileMetaData | None = None, wanted: ColumnsToRead = NOTHING
    ) -> Iterator[pq.ParquetFile]:
        """The file, with an already known footer; text columns are read as dictionaries."""
        with self.source.raw() as stream:
            try:
                # Read ahead, every row group would be kept until the last one is decoded.
                file = pq.ParquetFile(
                    stream,
                    metadata=footer,
                    pre_buffer=False,
                    buffer_size=BUFFER_BYTES,
                    read_dictionary=[*wanted.texts, *wanted.filters],
                )
            except (pa.ArrowException, UnicodeDecodeError, OSError) as error:
                stream.seek(0)
                is_parquet = stream.read(len(PARQUET_MAGIC)) == PARQUET_MAGIC
                what = "has a broken Parquet footer" if is_parquet else "is not a Parquet file"
                message = f"`{self.source.name}` {what} ({brief(error)})"
                hint = (
                    _AGAIN
                    if is_parquet
                    else ("state its format with `format`, or write it as Parquet")
                )
                raise self.source.fault(Code.BROKEN_FORMAT, message, advice=hint) from None
            yield file

    def _batches(
        self, file: pq.ParquetFile, wanted: ColumnsToRead, groups: Sequence[int]
    ) -> Iterator[pa.RecordBatch]:
        fields = [file.schema_arrow.field(name) for name in wanted.names]
        plain = pa.schema([(field.name, _plain(field.type)) for field in fields])
        of_numbers = all(_is_number(field.type) for field in plain)
        rows = max(NUMBER_ROWS // len(fields), BATCH_ROWS) if of_numbers else BATCH_ROWS
        found = 0
        for batch in file.iter_batches(
            rows, row_groups=groups, columns=list(wanted.names), use_threads=False
        ):
            found += batch.num_rows
            if sum(map(_text_bytes, batch.columns)) > MAX_TEXT_BYTES:
                raise too_expanded(self.source, MAX_TEXT_BYTES)
            yield batch.select(plain.names).cast(plain)
        claimed = sum(file.metadata.row_group(group).num_rows for group in groups)
        if found != claimed:
            raise pa.ArrowInvalid(f"it has {found} rows, but its footer states {claimed}")

    def _check_claims(self, meta: pq.FileMetaData, wanted: ColumnsToRead) -> None:
        claimed = max(
            (_group_bytes(meta.row_group(i), wanted) for i in range(meta.num_row_groups)), default=0
        )
        if meta.num_rows > MAX_ROWS or claimed > MAX_GROUP_BYTES:
            message = (
                f"`{self.source.name}` states {meta.num_rows} rows and a row group of {claimed} "
                f"bytes; the limits are {MAX_ROWS} and {MAX_GROUP_BYTES}"
            )
            hint = "write fewer rows, in smaller row groups"
            raise self.source.fault(Code.TRACE_TOO_LARGE, message, advice=hint)

    def _check_types(self, schema: pa.Schema, wanted: ColumnsToRead) -> None:
        for name in wanted.names:
            kind = _plain(schema.field(name).type)
            if wanted.is_number(name) and not _is_number_or_text(kind):
                message = f"column `{name}` holds `{kind}`, not numbers"
            elif not wanted.is_number(name) and not _has_text(kind):
                message = f"column `{name}` holds `{kind}`, neither numbers nor text"
            else:
                continue
            advice = "name a column of numbers or text"
            raise self.source.fault(Code.WRONG_TYPE, message, field=name, advice=advice)


def _is_number_or_text(kind: pa.DataType) -> bool:
    """Whether cells can be numbers or lengths of time.

    Text is judged cell by cell, so that a message can quote it.
    """
    return (
        _is_number(kind)
        or pa.types.is_null(kind)
        or pa.types.is_string(kind)
        or pa.types.is_duration(kind)
    )


def _is_number(kind: pa.DataType) -> bool:
    return pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)


def _has_text(kind: pa.DataType) -> bool:
    """Whether cells have a canonical text: numbers, booleans, dates and text."""
    return (
        _is_number_or_text(kind)
        or pa.types.is_boolean(kind)
        or pa.types.is_date(kind)
        or pa.types.is_timestamp(kind)
    )


def _plain(kind: pa.DataType) -> pa.DataType:
    """The type without its encoding: dictionaries as their values, one type of text, UTC."""
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return pa.string()
    if pa.types.is_timestamp(kind) and kind.tz is not None:
        return pa.timestamp(kind.unit, "UTC")
    return kind


def _text_bytes(column: pa.Array) -> int:
    """Bytes that the texts of a dictionary column would need."""
    kind = column.type
    if not (pa.types.is_dictionary(kind) and pa.types.is_string(_plain(kind))):
        return 0
    lengths = pc.binary_length(column.dictionary)
    return pc.sum(lengths.cast(pa.int64()).take(column.indices)).as_py() or 0


def _group_bytes(group: pq.RowGroupMetaData, wanted: ColumnsToRead) -> int:
    columns = (group.column(i) for i in range(group.num_columns))
    return sum(
        column.total_uncompressed_size
        for column in columns
        if column.path_in_schema.split(".")[0] in wanted.names
    )
