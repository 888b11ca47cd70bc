"""The door for measurements: a file, a pipe or standard input, opened as plain bytes."""

from __future__ import annotations

import os
import re
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO, Literal

import pyarrow as pa

from tailc.errors import Code, Finding, Place, TailcError
from tailc.input_files import open_input, refuse_device_as_standard_input
from tailc.traces.compression import MAGIC_BYTES, Codec, check_whole, codec_of, inflated, inner_name
from tailc.traces.other_kinds import refuse_other_kinds
from tailc.traces.places import located
from tailc.traces.plain_text import (
    Rewriting,
    encoding_rewritings,
    in_blocks,
    is_list_of_objects,
    object_lines,
    re_encoded,
)
from tailc.traces.table import BLOCK_BYTES

Format = Literal["auto", "parquet", "csv", "ndjson", "profile"]

SUFFIXES: dict[str, Format] = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".csv": "csv",
    ".tsv": "csv",
    ".ndjson": "ndjson",
    ".jsonl": "ndjson",
    ".profile": "profile",
}
PARQUET_MAGIC = b"PAR1"
PROFILE_HEAD = re.compile(rb'\{"digest":"[0-9a-f]{64}","format":"tailc-profile",')
STDIN = "-"
HEAD_BYTES = 1 << 20
# What a text may have to be rewritten in a temporary file, and a pipe to be copied there.
MAX_REWRITTEN_BYTES = 1 << 33
MAX_COPIED_BYTES = 1 << 33
SHOWN_CHARACTERS = 120


@dataclass(frozen=True)
class Source:
    """Bytes that can be read more than once; `name` is how messages call them.

    rewritten: what was so of the file, and is not of the bytes.
    """

    name: str
    path: Path | None
    spool: BinaryIO | None
    codec: Codec | None
    rewritten: frozenset[Rewriting] = frozenset()

    def raw(self) -> pa.NativeFile:
        """The bytes as they are, from the start."""
        if self.spool is None:
            return pa.OSFile(str(self.path))
        self.spool.seek(0)
        # A PythonFile closes what it wraps, and the spool is wanted again.
        return pa.PythonFile(_Unclosed(self.spool), mode="r")

    def size(self) -> int:
        """How many bytes there are, compressed where they are."""
        with self.raw() as stream:
            return stream.size()

    def plain(self) -> pa.NativeFile:
        """The bytes, inflated where they are compressed."""
        return self.raw() if self.codec is None else inflated(self.raw(), self.codec)

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

    def check_whole(self) -> None:
        """Raise TailcError unless what is compressed is sound to its end; other files pass."""
        if self.codec is not None:
            with self.raw() as stream:
                check_whole(stream, self.codec, self.name)

    def fault(
        self,
        code: Code,
        message: str,
        row: int | None = None,
        field: str | None = None,
        *,
        line: int | None = None,
        advice: str,
    ) -> TailcError:
        """An error about this source."""
        return TailcError(
            Finding(code, message, Place(self.name, line=line, row=row, field=field), advice)
        )


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
    """The source named by a path, or `-` for standard input: every measured file comes in here.

    What cannot be read twice (a pipe, standard input) is first copied to a temporary file, which
    is gone when the context ends; so is text that is rewritten (`Rewriting`). What the system
    refuses to read, also later in the context, is a TailcError (CANNOT_READ, or TRUNCATED and
    BROKEN_FORMAT of what is compressed); a file of another kind, such as a spec, is UNKNOWN_INPUT,
    no bytes are EMPTY_TRACE, and more than memory holds are TRACE_TOO_LARGE. Findings about a row
    get its line.
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
            opened = _as_plain_text(opened, until_read)
            yield opened
        except TailcError as error:
            error.findings = located(error.findings, opened)
            raise
        except OSError as error:
            opened.check_whole()
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
        refuse_device_as_standard_input()
        return _copied(sys.stdin.buffer, name, until_read)
    path = Path(source)
    with open_input(path) as file:
        if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return Source(name, path, None, _codec(file))
        return _copied(file, name, until_read)


def _as_plain_text(source: Source, until_read: ExitStack) -> Source:
    """The source, rewritten where it is text of another sort; TailcError where it is no data."""
    head = source.head()
    refuse_other_kinds(source, head)
    if told := encoding_rewritings(head):
        source = _rewritten(source, re_encoded(source, told), told, until_read)
        head = source.head()
        refuse_other_kinds(source, head)
    if is_list_of_objects(head):
        lines = in_blocks(object_lines(source))
        told = frozenset({Rewriting.JSON_LIST})
        source = _rewritten(source, lines, told, until_read)
    return source


def _rewritten(
    source: Source, blocks: Iterable[bytes], told: frozenset[Rewriting], until_read: ExitStack
) -> Source:
    spool = until_read.enter_context(tempfile.TemporaryFile())  # noqa: SIM115, the stack closes it
    for block in blocks:
        spool.write(block)
        if spool.tell() > MAX_REWRITTEN_BYTES:
            message = f"`{source.name}` is too long to be rewritten: it {next(iter(told)).value}"
            hint = (
                "save it as UTF-8 with LF at the end of each line, and JSON with an object a line"
            )
            raise source.fault(Code.TRACE_TOO_LARGE, message, advice=hint)
    return replace(source, path=None, spool=spool, codec=None, rewritten=source.rewritten | told)


def _copied(file: BinaryIO, name: str, until_read: ExitStack) -> Source:
    """A source of what is left in the file, in a temporary one of its own."""
    spool = until_read.enter_context(tempfile.TemporaryFile())  # noqa: SIM115, the stack closes it
    while block := file.read(BLOCK_BYTES):
        spool.write(block)
        if spool.tell() > MAX_COPIED_BYTES:
            message = f"`{name}` is a pipe with more than {MAX_COPIED_BYTES:,} bytes"
            hint = "write them to a file, and give that"
            raise TailcError(Finding(Code.TRACE_TOO_LARGE, message, Place(name), hint))
    return Source(name, None, spool, _codec(spool))


def _cannot_read(name: str, error: Exception) -> TailcError:
    reason = getattr(error, "strerror", None) or str(error)
    message = f"`{name}` cannot be read: {reason.lower()}"
    hint = "check the path, and that you may read it"
    return TailcError(Finding(Code.CANNOT_READ, message, Place(name), hint))


def brief(error: Exception) -> str:
    """The start of a library's own words, for the end of a message of ours."""
    lines = str(error).splitlines()
    return lines[0][:SHOWN_CHARACTERS] if lines else type(error).__name__


def _codec(file: BinaryIO) -> Codec | None:
    file.seek(0)
    return codec_of(file.read(MAGIC_BYTES))


def format_of(source: Source, asked: Format) -> Format:
    """The format asked for; for `auto` by the content, and by the suffix where that is open."""
    if asked != "auto":
        return asked
    head = source.head()
    if head.startswith(PARQUET_MAGIC):
        return "parquet"
    if PROFILE_HEAD.match(head):
        return "profile"
    if head.lstrip().startswith(b"{"):
        return "ndjson"
    return SUFFIXES.get(Path(inner_name(source.name)).suffix.lower(), "csv")
