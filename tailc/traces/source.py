"""Open measured input (a file, a pipe or standard input) as plain bytes."""

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
from tailc.traces.arrow_file import is_arrow, rewrite_arrow
from tailc.traces.compression import (
    MAGIC_BYTES,
    Codec,
    check_whole,
    codec_of,
    decompress_stream,
    inner_name,
)
from tailc.traces.other_kinds import refuse_other_kinds
from tailc.traces.places import locate_findings
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
    ".arrow": "parquet",
    ".feather": "parquet",
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
    """Bytes of an input that can be read repeatedly; `name` is its name in messages.

    rewritten: conversions that were applied to the text of the file.
    """

    name: str
    file: SeekableInput
    codec: Codec | None
    rewritten: frozenset[Rewriting] = frozenset()

    def raw(self) -> pa.NativeFile:
        """The bytes of a source as they are in the file, still compressed, from the start."""
        return pa.PythonFile(_Reader(self.file), mode="r")

    def size(self) -> int:
        """Number of bytes of the input, before decompression."""
        return self.file.stamp[0]

    def plain(self) -> pa.NativeFile:
        """Open the decompressed bytes of the input as a stream."""
        return self.raw() if self.codec is None else decompress_stream(self.raw(), self.codec)

    def lines(self, longest: int) -> Iterator[bytes]:
        """Yield the lines of the decompressed bytes, with their ends.

        A line longer than `longest` is cut, and is the last one.
        """
        rest = b""
        with self.plain() as stream:
            while len(rest) <= longest and (block := stream.read(BLOCK_BYTES)):
                *lines, rest = (rest + block).split(b"\n")
                yield from (line + b"\n" for line in lines)
        if rest:
            yield rest

    def head(self) -> bytes:
        """Read the first mebibyte of the decompressed bytes of the input."""
        with self.plain() as stream:
            return stream.read(HEAD_BYTES)

    def check_whole(self) -> None:
        """Raise TailcError if the input is compressed and its data is damaged or truncated."""
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
        """Make an error about this file, with the place of a row or line in it."""
        return TailcError(
            Finding(code, message, Place(self.name, line=line, row=row, field=field), advice)
        )


class _Reader(io.RawIOBase):
    """A file object with its own position; closing it leaves the input open."""

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
    """Open the input at a path, or `-` for standard input; every measured file is opened here.

    Input that cannot be read twice (a pipe, standard input) and text that must be converted
    (`Rewriting`) are copied to a temporary file until the context ends. Raises TailcError, also
    later in the context: CANNOT_READ for errors of the operating system and for a file that changes
    after it is opened, TRUNCATED and BROKEN_FORMAT for damaged compressed data, UNKNOWN_INPUT for a
    file of another kind such as a spec, EMPTY_TRACE for no bytes, and TRACE_TOO_LARGE if memory is
    too small. Findings about a row get its line.
    """
    name = "<stdin>" if source == STDIN else source
    with ExitStack() as until_read:
        try:
            file = seekable_input(source, until_read)
            opened = Source(name, file, codec_of(file.read_at(0, MAGIC_BYTES)))
        except (OSError, ValueError) as error:
            raise _cannot_read(name, error) from None
        if not opened.size():
            hint = "check the path, and that the program that writes the file has ended"
            raise opened.fault(Code.EMPTY_TRACE, f"`{name}` is an empty file", advice=hint)
        try:
            opened = _as_plain_text(opened, until_read)
            yield opened
            _refuse_changed(name, file)
        except TailcError as error:
            _refuse_changed(name, file)
            error.findings = locate_findings(error.findings, opened)
            raise
        except OSError as error:
            _refuse_changed(name, file)
            opened.check_whole()
            raise _cannot_read(name, error) from None
        except MemoryError:
            message = f"`{name}` does not fit into the available memory"
            hint = (
                "check that it is the right file, then give fewer rows or columns, or more memory"
            )
            raise opened.fault(Code.TRACE_TOO_LARGE, message, advice=hint) from None


def _refuse_changed(name: str, file: SeekableInput) -> None:
    if file.has_changed:
        message = f"`{name}` changed while it was read"
        hint = "wait until no program writes to the file, or give a copy"
        raise TailcError(Finding(Code.CANNOT_READ, message, Place(name), hint)) from None


def _as_plain_text(source: Source, until_read: ExitStack) -> Source:
    """The source, with its text converted if necessary; raises TailcError if it is not data."""
    head = source.head()
    if is_arrow(head):
        return _from_arrow(source, until_read)
    refuse_other_kinds(source, head)
    if rewritings := encoding_rewritings(head):
        source = _rewritten(source, re_encoded(source, rewritings), rewritings, until_read)
        head = source.head()
        refuse_other_kinds(source, head)
    if is_list_of_objects(head):
        lines = in_blocks(object_lines(source))
        rewritings = frozenset({Rewriting.JSON_LIST})
        source = _rewritten(source, lines, rewritings, until_read)
    return source


def _from_arrow(source: Source, until_read: ExitStack) -> Source:
    """An Arrow file as Parquet, in a temporary file."""
    spool = until_read.enter_context(tempfile.TemporaryFile())  # noqa: SIM115, the stack closes it
    try:
        with source.plain() as stream:
            fits = rewrite_arrow(stream, spool, MAX_REWRITTEN_BYTES)
    except (pa.ArrowException, UnicodeDecodeError, OSError) as error:
        # Errors of pyarrow about the content have no number, unlike those of the system.
        if isinstance(error, OSError) and error.errno is not None:
            raise
        source.check_whole()
        if isinstance(error, pa.ArrowNotImplementedError):
            message = f"`{source.name}` is an Arrow file that cannot be converted: {brief(error)}"
            hint = "write it without such columns, or save it as Parquet"
            raise source.fault(Code.WRONG_TYPE, message, advice=hint) from None
        message = f"`{source.name}` is a damaged or truncated Arrow file: {brief(error)}"
        hint = "write it again, and close its writer, or save it as Parquet"
        raise source.fault(Code.BROKEN_FORMAT, message, advice=hint) from None
    if not fits:
        message = f"`{source.name}` is an Arrow file that is too large to be converted"
        raise source.fault(Code.TRACE_TOO_LARGE, message, advice="save it as Parquet")
    return replace(source, file=written_input(spool), codec=None)


def _rewritten(
    source: Source, blocks: Iterable[bytes], rewritings: frozenset[Rewriting], until_read: ExitStack
) -> Source:
    spool = until_read.enter_context(tempfile.TemporaryFile())  # noqa: SIM115, the stack closes it
    for block in blocks:
        spool.write(block)
        if spool.tell() > MAX_REWRITTEN_BYTES:
            message = (
                f"`{source.name}` {next(iter(rewritings)).value}, and is too large to be converted"
            )
            hint = (
                "save it as UTF-8 with LF at the end of each line, and JSON with one object on "
                "each line"
            )
            raise source.fault(Code.TRACE_TOO_LARGE, message, advice=hint)
    return replace(
        source, file=written_input(spool), codec=None, rewritten=source.rewritten | rewritings
    )


def _cannot_read(name: str, error: Exception) -> TailcError:
    reason = getattr(error, "strerror", None) or str(error)
    message = f"`{name}` cannot be read: {reason.lower()}"
    hint = "check the path, and that you have permission to read the file"
    return TailcError(Finding(Code.CANNOT_READ, message, Place(name), hint))


def brief(error: Exception) -> str:
    """The first line of a library's error message, to quote at the end of an error of tailc."""
    lines = str(error).splitlines()
    return lines[0][:SHOWN_CHARACTERS] if lines else type(error).__name__


def format_of(source: Source, asked: Format) -> Format:
    """The format of a trace: as requested; for `auto` by its content, else by its suffix."""
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
