"""Where the bytes of a trace come from: a file, a pipe or standard input, gzipped or not."""

from __future__ import annotations

import os
import re
import shutil
import stat
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal

import pyarrow as pa

from tailc.errors import Code, Finding, Place, TailcError
from tailc.traces.table import BLOCK_BYTES

Format = Literal["auto", "parquet", "csv", "ndjson", "profile"]

SUFFIXES: dict[str, Format] = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".csv": "csv",
    ".ndjson": "ndjson",
    ".jsonl": "ndjson",
    ".profile": "profile",
}
GZIP_MAGIC = b"\x1f\x8b"
PARQUET_MAGIC = b"PAR1"
PROFILE_HEAD = re.compile(rb'\{"digest":"[0-9a-f]{64}","format":"tailc-profile",')
STDIN = "-"
HEAD_BYTES = 1 << 20
# A member is inflated in pieces, since a few bytes may stand for gigabytes. What is read at a time
# is less than that, since what follows a member is copied for each of the members in it.
INFLATED_BYTES = 1 << 20
DEFLATED_BYTES = 1 << 16
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

    def size(self) -> int:
        """How many bytes there are, gzipped where they are."""
        with self.raw() as stream:
            return stream.size()

    def plain(self) -> pa.NativeFile:
        """The bytes after gunzipping where they are gzipped."""
        return pa.CompressedInputStream(self.raw(), "gzip") if self.is_gzip else self.raw()

    def lines(self, longest: int) -> Iterator[bytes]:
        """The plain bytes by line, ends included; a line longer than that is cut, and the last."""
        rest = b""
        with self.plain() as stream:
            while len(rest) <= longest and (block := stream.read(BLOCK_BYTES)):
                *lines, rest = (rest + block).split(b"\n")
                yield from (line + b"\n" for line in lines)
        if rest:
            yield rest

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
        *,
        advice: str,
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
    TailcError (CANNOT_READ, or TRUNCATED and BROKEN_FORMAT for gzip); no bytes are EMPTY_TRACE, and
    more than memory holds are TRACE_TOO_LARGE.
    """
    name = "<stdin>" if source == STDIN else source
    with ExitStack() as until_read:
        try:
            opened = _open(source, name, until_read)
            is_empty = opened.size() == 0
        except (OSError, ValueError) as error:
            raise _cannot_read(name, error) from None
        if is_empty:
            hint = "check the path, and that what writes it has ended"
            raise opened.fault(Code.EMPTY_TRACE, f"`{name}` is an empty file", advice=hint)
        try:
            yield opened
        except OSError as error:
            opened.check_gzip()
            raise _cannot_read(name, error) from None
        except MemoryError:
            message = f"`{name}` does not fit into the memory there is"
            hint = (
                "check that it is what it should be, and give fewer rows or columns, or more memory"
            )
            raise opened.fault(Code.TRACE_TOO_LARGE, message, advice=hint) from None


def _open(source: str, name: str, until_read: ExitStack) -> Source:
    if source == STDIN:
        if sys.stdin is None:
            raise OSError("it is closed")
        return _copied(sys.stdin.buffer, name, until_read)
    path = Path(source)
    with path.open("rb") as file:
        if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return Source(name, path, None, _starts_gzip(file))
        return _copied(file, name, until_read)


def _copied(file: BinaryIO, name: str, until_read: ExitStack) -> Source:
    """A source of what is left in the file, in a temporary one of its own."""
    spool = until_read.enter_context(tempfile.TemporaryFile())  # noqa: SIM115, the stack closes it
    shutil.copyfileobj(file, spool)
    return Source(name, None, spool, _starts_gzip(spool))


def _cannot_read(name: str, error: Exception) -> TailcError:
    reason = getattr(error, "strerror", None) or str(error)
    message = f"`{name}` cannot be read: {reason.lower()}"
    hint = "check the path, and that you may read it"
    return TailcError(Finding(Code.CANNOT_READ, message, Place(name), hint))


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
    while chunk := stream.read(DEFLATED_BYTES):
        try:
            while chunk:
                _inflate(inflater, chunk)
                chunk = inflater.unused_data
                at_start = inflater.eof
                if at_start:
                    inflater = zlib.decompressobj(wbits=31)
        except zlib.error:
            message = f"`{name}` is not sound gzip data"
            hint = "copy or compress the file again"
            raise TailcError(Finding(Code.BROKEN_FORMAT, message, Place(name), hint)) from None
    if not at_start:
        message = f"`{name}` ends in the middle of its gzip data"
        help_ = "copy or compress the file again"
        raise TailcError(Finding(Code.TRUNCATED, message, Place(name), help=help_))


def _inflate(inflater: zlib._Decompress, chunk: bytes) -> None:
    """Put the chunk through, to its end or to that of the member, and keep nothing."""
    inflated = INFLATED_BYTES
    # A full piece may leave more behind, even where all of the chunk was taken in.
    while not inflater.eof and (chunk or inflated == INFLATED_BYTES):
        inflated = len(inflater.decompress(chunk, INFLATED_BYTES))
        chunk = inflater.unconsumed_tail


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
    if PROFILE_HEAD.match(head):
        return "profile"
    return "ndjson" if head.lstrip().startswith(b"{") else "csv"
