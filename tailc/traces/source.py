"""Where the bytes of a trace come from: a file, a pipe or standard input, gzipped or not."""

from __future__ import annotations

import shutil
import stat
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal

import pyarrow as pa

from tailc.errors import Code, Finding, Place, TailcError

Format = Literal["auto", "parquet", "csv", "ndjson"]

SUFFIXES: dict[str, Format] = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".csv": "csv",
    ".ndjson": "ndjson",
    ".jsonl": "ndjson",
}
GZIP_MAGIC = b"\x1f\x8b"
PARQUET_MAGIC = b"PAR1"
HEAD_BYTES = 1 << 20
INFLATE_BYTES = 1 << 20
SHOWN_CHARACTERS = 120


@dataclass(frozen=True)
class Source:
    """Bytes that can be read more than once; `name` is how messages call them."""

    name: str
    path: Path | None
    spool: BinaryIO | None
    is_gzip: bool

    def raw(self) -> pa.NativeFile:
        """The bytes as they are, from the start."""
        if self.spool is None:
            return pa.OSFile(str(self.path))
        self.spool.seek(0)
        # A PythonFile closes what it wraps, and the spool is wanted again.
        return pa.PythonFile(_Unclosed(self.spool), mode="r")

    def plain(self) -> pa.NativeFile:
        """The bytes after gunzipping where they are gzipped."""
        return pa.CompressedInputStream(self.raw(), "gzip") if self.is_gzip else self.raw()

    def head(self) -> bytes:
        """The first mebibyte of the plain bytes, or all of it."""
        with self.plain() as stream:
            return stream.read(HEAD_BYTES)

    def check_gzip(self) -> None:
        """Raise TailcError unless every gzip member is whole; a file not gzipped passes."""
        if self.is_gzip:
            with self.raw() as stream:
                _check_members(stream, self.name)

    def fault(
        self,
        code: Code,
        message: str,
        row: int | None = None,
        field: str | None = None,
        advice: str | None = None,
    ) -> TailcError:
        """An error about this source."""
        return TailcError(Finding(code, message, Place(self.name, row=row, field=field), advice))


class _Unclosed:
    """A binary file whose `close` leaves it open."""

    def __init__(self, file: BinaryIO) -> None:
        self.read = file.read
        self.seek = file.seek
        self.tell = file.tell
        self.closed = False

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self.closed = True


@contextmanager
def open_source(source: str) -> Iterator[Source]:
    """The source named by a path, or `-` for standard input.

    What cannot be read twice (a pipe, standard input) is first copied to a temporary file, which
    is gone when the context ends. What the system refuses to read, also later in the context, is a
    TailcError (CANNOT_READ, or TRUNCATED and BROKEN_FORMAT for gzip); no bytes are EMPTY_TRACE.
    """
    with tempfile.TemporaryFile() as spool:
        if source == "-":
            shutil.copyfileobj(sys.stdin.buffer, spool)
            opened = Source("<stdin>", None, spool, _starts_gzip(spool))
        else:
            opened = _open_path(source, spool)
        if opened.raw().size() == 0:
            raise opened.fault(Code.EMPTY_TRACE, f"`{opened.name}` is an empty file")
        try:
            yield opened
        except OSError as error:
            opened.check_gzip()
            raise _cannot_read(opened.name, error) from None


def _open_path(source: str, spool: BinaryIO) -> Source:
    path = Path(source)
    try:
        with path.open("rb") as file:
            if stat.S_ISREG(path.stat().st_mode):
                return Source(source, path, None, _starts_gzip(file))
            shutil.copyfileobj(file, spool)
    except (OSError, ValueError) as error:
        raise _cannot_read(source, error) from None
    return Source(source, None, spool, _starts_gzip(spool))


def _cannot_read(name: str, error: Exception) -> TailcError:
    reason = getattr(error, "strerror", None) or str(error)
    message = f"`{name}` cannot be read: {reason.lower()}"
    return TailcError(Finding(Code.CANNOT_READ, message, Place(name)))


def brief(error: Exception) -> str:
    """The start of a library's own words, for the end of a message of ours."""
    lines = str(error).splitlines()
    return lines[0][:SHOWN_CHARACTERS] if lines else type(error).__name__


def _starts_gzip(file: BinaryIO) -> bool:
    file.seek(0)
    return file.read(2) == GZIP_MAGIC


def _check_members(stream: pa.NativeFile, name: str) -> None:
    inflater = zlib.decompressobj(wbits=31)
    at_start = False
    while chunk := stream.read(INFLATE_BYTES):
        try:
            while chunk:
                inflater.decompress(chunk)
                chunk = inflater.unused_data
                at_start = inflater.eof
                if at_start:
                    inflater = zlib.decompressobj(wbits=31)
        except zlib.error:
            message = f"`{name}` is not sound gzip data"
            raise TailcError(Finding(Code.BROKEN_FORMAT, message, Place(name))) from None
    if not at_start:
        message = f"`{name}` ends in the middle of its gzip data"
        help_ = "copy or compress the file again"
        raise TailcError(Finding(Code.TRUNCATED, message, Place(name), help=help_))


def format_of(source: Source, asked: Format) -> Format:
    """The format asked for; for `auto` by the file's suffix, else by the first bytes."""
    if asked != "auto":
        return asked
    suffixes = [suffix.lower() for suffix in Path(source.name).suffixes]
    if suffixes and suffixes[-1] == ".gz":
        suffixes.pop()
    if suffixes and suffixes[-1] in SUFFIXES:
        return SUFFIXES[suffixes[-1]]
    head = source.head()
    if head.startswith(PARQUET_MAGIC):
        return "parquet"
    return "ndjson" if head.lstrip().startswith(b"{") else "csv"
