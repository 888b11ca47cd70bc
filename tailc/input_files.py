"""Open files and pipes for reading; refuse devices that never end."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO

from tailc.errors import Code, Finding, Place, TailcError

STDIN = "-"
# Of a pipe or of standard input, in a temporary file.
MAX_COPIED_BYTES = 1 << 33
# So that a command with many inputs does not run out of descriptors.
MOST_HELD = 100
_AT_A_TIME = 1 << 20
_STANDARD_INPUT = 0
_NO_FILES = (stat.S_ISCHR, stat.S_ISBLK, stat.S_ISSOCK)


@dataclass(frozen=True)
class SeekableInput:
    """An open file that is read by position, so that several readers do not disturb each other.

    stamp: size and modification time when the file was opened.
    """

    descriptor: int
    stamp: tuple[int, int]

    @property
    def has_changed(self) -> bool:
        """Whether the file has changed since it was opened."""
        return _stamp(self.descriptor) != self.stamp

    def read_at(self, position: int, size: int) -> bytes:
        """Read `size` bytes at the position; fewer at the end."""
        return os.pread(self.descriptor, size, position)

    def sha256(self) -> str:
        """Hex SHA-256 of all bytes."""
        import hashlib

        hasher = hashlib.sha256()
        for position in range(0, self.stamp[0], _AT_A_TIME):
            hasher.update(self.read_at(position, _AT_A_TIME))
        return hasher.hexdigest()


@dataclass(frozen=True)
class _OpenInputs:
    files: dict[str, SeekableInput]
    contents: dict[tuple[str, int], bytes]
    until_read: ExitStack


_HELD: ContextVar[_OpenInputs | None] = ContextVar("held inputs", default=None)


@contextmanager
def inputs_held() -> Iterator[None]:
    """Context in which each input is opened only once, so that all readers get the same bytes.

    It is for commands that read a file or pipe more than once.
    """
    with ExitStack() as until_read:
        before = _HELD.set(_OpenInputs({}, {}, until_read))
        try:
            yield
        finally:
            _HELD.reset(before)


def input_bytes(path: str, most: int) -> bytes:
    """Read at most `most` bytes of the file or pipe at the path.

    Raises OSError as `open_input` does.
    """
    held = _HELD.get()
    key = path, most
    if held is not None and key in held.contents:
        return held.contents[key]
    with open_input(path) as file:
        content = file.read(most)
    if held is not None:
        held.contents[key] = content
    return content


def seekable_input(path: str, until_read: ExitStack) -> SeekableInput:
    """Open the file at the path, or a copy of a pipe or of standard input (`-`), for any position.

    Raises OSError like `open_input`, and TailcError for a pipe that is too long.
    """
    held = _HELD.get()
    key = path if path == STDIN else os.path.abspath(path)  # noqa: PTH100, links stay links
    is_full = held is not None and key not in held.files and len(held.files) >= MOST_HELD
    if held is None or (is_full and Path(path).is_file()):
        return _open_seekable(path, until_read)
    if key not in held.files:
        held.files[key] = _open_seekable(path, held.until_read)
    return held.files[key]


def open_input(path: Path | str) -> BufferedReader:
    """Open the file or pipe at the path; raises OSError if it cannot be opened or is a device."""
    try:
        found = Path(path).stat()
    except ValueError:  # a null character
        raise OSError(None, "not a path", str(path)) from None
    _refuse_device(found, str(path))
    return Path(path).open("rb")


def refuse_device_as_standard_input() -> None:
    """Raise OSError if standard input is a device other than a terminal."""
    found = os.fstat(_STANDARD_INPUT)
    if not (stat.S_ISSOCK(found.st_mode) or os.isatty(_STANDARD_INPUT)):
        _refuse_device(found, "<stdin>")


def _open_seekable(path: str, until_read: ExitStack) -> SeekableInput:
    if path == STDIN:
        if sys.stdin is None:
            raise OSError("it is closed")
        refuse_device_as_standard_input()
        return _copy_rest(sys.stdin.buffer, "<stdin>", until_read)
    file = until_read.enter_context(open_input(path))
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        return _copy_rest(file, path, until_read)
    return SeekableInput(file.fileno(), _stamp(file.fileno()))


def _copy_rest(file: BinaryIO, name: str, until_read: ExitStack) -> SeekableInput:
    """Copy the remaining bytes of the file to a temporary file."""
    import tempfile

    spool = until_read.enter_context(tempfile.TemporaryFile())  # noqa: SIM115, the stack closes it
    while block := file.read(_AT_A_TIME):
        spool.write(block)
        if spool.tell() > MAX_COPIED_BYTES:
            message = f"`{name}` is a pipe with more than {MAX_COPIED_BYTES:,} bytes"
            hint = "write the data to a file, and give the file"
            raise TailcError(Finding(Code.TRACE_TOO_LARGE, message, Place(name), hint))
    return written_input(spool)


def written_input(spool: BinaryIO) -> SeekableInput:
    """Make an input that reads a temporary file after it was written."""
    spool.flush()
    return SeekableInput(spool.fileno(), _stamp(spool.fileno()))


def _stamp(descriptor: int) -> tuple[int, int]:
    found = os.fstat(descriptor)
    return found.st_size, found.st_mtime_ns


def _refuse_device(found: os.stat_result, name: str) -> None:
    is_no_file = any(is_kind(found.st_mode) for is_kind in _NO_FILES)
    # The null device is an empty file.
    if is_no_file and found.st_rdev != Path(os.devnull).stat().st_rdev:
        raise OSError(None, "it is a device or a socket, not a file", name)
