"""The door for measurements: a file, a pipe or standard input, opened as plain bytes."""

from __future__ import annotations

import io
import re
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import pyarrow as pa

from tailc.errors import Code, Finding, Place, TailcError
from tailc.input_files import STDIN, SeekableInput, seekable_input, written_input
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
HEAD_BYTES = 1 << 20
# What a text may have to be rewritten in a temporary file.
MAX_REWRITTEN_BYTES = 1 << 33
SHOWN_CHARACTERS = 120


@dataclass(frozen=True)
class Source:
    """Bytes that can be read more than once; `name` is how messages call them.

    rewritten: what was so of the file, and is not of the bytes.
    """

    name: str
    file: SeekableInput
    codec: Codec | None
    rewritten: frozenset[Rewriting] = frozenset()

    def raw(self) -> pa.NativeFile:
        """The bytes as they are, from the start."""
        return pa.PythonFile(_Reader(self.file), mode="r")

    def size(self) -> int:
        """How many bytes there are, compressed where they are."""
        return self.file.stamp[0]

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


class _Reader(io.RawIOBase):
    """A file with a position of its own; closing it leaves the input open."""

    def __init__(self, file: SeekableInput) -> None:
        self._file, self._position = file, 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        rest = max(self._file.stamp[0] - self._position, 0)
        block = self._file.read_at(self._position, rest if size < 0 else min(size, rest))
        self._position += len(block)
        return block

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._file.stamp[0]}
        self._position = start[whence] + offset
        return self._position

    def tell(self) -> int:
        return self._position


@contextmanager
def open_source(source: str) -> Iterator[Source]:
    """The source named by a path, or `-` for standard input: every measured file comes in here.

    What cannot be read twice (a pipe, standard input) is first copied to a temporary file, which
    is gone when the context ends; so is text that is rewritten (`Rewriting`). What the system
    refuses to read, also later in the context, is a TailcError (CANNOT_READ, or TRUNCATED and
    BROKEN_FORMAT of what is compressed), and so is a file that has changed since it was opened
    (CANNOT_READ); a file of another kind, such as a spec, is UNKNOWN_INPUT,
    no bytes are EMPTY_TRACE, and more than memory holds are TRACE_TOO_LARGE. Findings about a row
    get its line.
    """
    name = "<stdin>" if source == STDIN else source
    with ExitStack() as until_read:
        try:
            file = seekable_input(source, until_read)
            opened = Source(name, file, codec_of(file.read_at(0, MAGIC_BYTES)))
        except (OSError, ValueError) as error:
            raise _cannot_read(name, error) from None
        if not opened.size():
            hint = "check the path, and that what writes it has ended"
            raise opened.fault(Code.EMPTY_TRACE, f"`{name}` is an empty file", advice=hint)
        try:
            opened = _as_plain_text(opened, until_read)
            yield opened
            _refuse_changed(name, file)
        except TailcError as error:
            _refuse_changed(name, file)
            error.findings = located(error.findings, opened)
            raise
        except OSError as error:
            _refuse_changed(name, file)
            opened.check_whole()
            raise _cannot_read(name, error) from None
        except MemoryError:
            message = f"`{name}` does not fit into the available memory"
            hint = (
                "check that it is what it should be, and give fewer rows or columns, or more memory"
            )
            raise opened.fault(Code.TRACE_TOO_LARGE, message, advice=hint) from None


def _refuse_changed(name: str, file: SeekableInput) -> None:
    if file.has_changed:
        message = f"`{name}` changed while it was read"
        hint = "wait until nothing writes to it, or give a copy"
        raise TailcError(Finding(Code.CANNOT_READ, message, Place(name), hint)) from None


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
    return replace(source, file=written_input(spool), codec=None, rewritten=source.rewritten | told)


def _cannot_read(name: str, error: Exception) -> TailcError:
    reason = getattr(error, "strerror", None) or str(error)
    message = f"`{name}` cannot be read: {reason.lower()}"
    hint = "check the path, and that you may read it"
    return TailcError(Finding(Code.CANNOT_READ, message, Place(name), hint))


def brief(error: Exception) -> str:
    """The start of a library's own words, for the end of a message of ours."""
    lines = str(error).splitlines()
    return lines[0][:SHOWN_CHARACTERS] if lines else type(error).__name__


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
