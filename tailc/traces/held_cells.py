"""Cache columns of a file that several readings need, so that they are read once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace

from tailc.traces.cells import Cells

# A plan reads some ten files; text that is rewritten is another file each time it is opened.
_MOST_HELD = 16
_HELD: ContextVar[dict[Hashable, Cells] | None] = ContextVar("held cells", default=None)


@contextmanager
def cells_held() -> Iterator[None]:
    """Context in which repeated reads of the same columns and rows of a file share one read.

    Only as far as memory allows.
    """
    before = _HELD.set({})
    try:
        yield
    finally:
        _HELD.reset(before)


def cached_cells(key: Hashable, read: Callable[[], Cells]) -> Cells:
    """Return the cells cached for `key`, or read and cache them.

    Each caller gets its own list of findings.
    """
    known = _HELD.get()
    if known is None:
        return read()
    if key not in known:
        while len(known) >= _MOST_HELD:
            del known[next(iter(known))]
        known[key] = read()
    return replace(known[key], findings=[])
