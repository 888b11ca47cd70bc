"""Handling of standard streams that are closed or full, so that no command crashes.

Messages that standard error does not accept are dropped. Data that standard output does not accept
is an error of the command.
"""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress


def make_streams_usable() -> None:
    """Open closed streams, so that no file gets their number, and make errors of stderr silent.

    A closed standard output refuses writes, and a closed standard input is empty.
    """
    for number, stream in enumerate((sys.stdin, sys.stdout, sys.stderr)):
        if stream is None:
            _open_nothing(number)
    sys.stdin = sys.stdin or open(0, closefd=False)  # noqa: SIM115 - a number, not a path
    sys.stdout = sys.stdout or open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = io.TextIOWrapper(
        _Talk(),  # pyright: ignore[reportArgumentType] - raw, so that each line is written at once
        encoding=getattr(sys.stderr, "encoding", "utf-8"),
        errors="backslashreplace",
        write_through=True,
    )


def abandon_standard_output() -> None:
    """Redirect standard output, so that the interpreter reports no error at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _open_nothing(number: int) -> None:
    """Open the null device read-only, so that writing to it is an error."""
    opened = os.open(os.devnull, os.O_RDONLY)
    if opened != number:
        os.dup2(opened, number)
        os.close(opened)


class _Talk(io.RawIOBase):
    """Standard error that accepts all writes, even if it is closed."""

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return 2

    def isatty(self) -> bool:
        return os.isatty(2)

    def write(self, data: memoryview | bytes, /) -> int:  # pyright: ignore[reportIncompatibleMethodOverride]
        remaining = memoryview(data)
        with suppress(OSError):
            while remaining:
                remaining = remaining[os.write(2, remaining) :]
        return len(data)
