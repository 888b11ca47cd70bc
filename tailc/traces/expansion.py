"""Limit the memory for the cells of a file, which can be far larger than the file."""

from __future__ import annotations

from tailc.errors import Code, Finding, Place, TailcError
from tailc.traces.source import Source

# Any file may take this much memory: two million demands.
FREE_BYTES = 1 << 24
# Measured times take more than two bits each in any encoding, and 64 in memory.
MOST_TIMES_LARGER = 32
# Above this, most rows are equal to others, and it takes less memory to merge them.
TIMES_HELD = 8
_ADVICE = (
    "`tailc ingest` counts equal rows in little memory, and its profile can be the trace; or write "
    "the rows uncompressed"
)


class TooExpandedError(TailcError):
    """The rows of a file need far more memory than the file has bytes."""


def most_bytes(source: Source, times: int = MOST_TIMES_LARGER) -> int:
    """Limit of the memory for the rows of a file [bytes].

    It is `times` the file's size, and at least FREE_BYTES.
    """
    return max(FREE_BYTES, times * source.size())


def too_expanded(source: Source, limit: int) -> TooExpandedError:
    """Make the error for a file whose rows need more memory than the limit."""
    message = (
        f"`{source.name}` has {source.size():,} bytes, but its rows take more than "
        f"{limit:,} bytes of memory"
    )
    return TooExpandedError(Finding(Code.TRACE_TOO_LARGE, message, Place(source.name), _ADVICE))
