"""How much memory the cells of a file may take: a small file can claim more than there is."""

from __future__ import annotations

import pyarrow as pa

from tailc.errors import Code, TailcError
from tailc.traces.source import Source

# Any file may take this much memory: two million demands.
FREE_BYTES = 1 << 24
# Measured times take more than two bits each in any encoding, and 64 in memory.
MOST_TIMES_LARGER = 32
_ADVICE = (
    "`tailc ingest` counts equal rows in little memory, and its profile can be the trace; or write "
    "the rows uncompressed"
)


class ExpansionLimit:
    """Refuses a file whose cells take far more bytes than the file has itself."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._limit = max(FREE_BYTES, MOST_TIMES_LARGER * source.size())
        self._held = 0

    def hold(self, batch: pa.RecordBatch) -> None:
        """Count a batch that stays in memory; raises TailcError (TRACE_TOO_LARGE)."""
        self._held += batch.nbytes
        if self._held > self._limit:
            raise too_expanded(self._source)


def too_expanded(source: Source) -> TailcError:
    """The error about a file whose rows need far more memory than the file has bytes."""
    message = (
        f"`{source.name}` has {source.size():,} bytes, but its rows take more than "
        f"{MOST_TIMES_LARGER} times as much memory"
    )
    return source.fault(Code.TRACE_TOO_LARGE, message, advice=_ADVICE)
