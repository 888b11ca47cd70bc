"""Standard streams that are closed or full: no command crashes for them, nor writes elsewhere.

What cannot be said on standard error is left unsaid. What cannot be written to standard output is
an error of the command, for it is data.
"""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress


def make_streams_usable() -> None:
    """Open closed streams, so that no file takes their number, and let talk fail silently.

    A closed standard output refuses what is written to it, and a closed standard input is empty.
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
    """Keep the interpreter from complaining at its end of what it cannot write."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _open_nothing(number: int) -> None:
    """Read-only: writing there is an error."""
    opened = os.open(os.devnull, os.O_RDONLY)
    if opened != number:
        os.dup2(opened, number)
        os.close(opened)


class _Talk(io.RawIOBase):
    """Standard error, which takes all that it is given."""

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return 2

    def isatty(self) -> bool:
        return os.isatty(2)

    def write(self, data: memoryview | bytes, /) -> int:  # pyright: ignore[reportIncompatibleMethodOverride]
        left = memoryview(data)
        with suppress(OSError):
            while left:
                left = left[os.write(2, left) :]
        return len(data)
