"""Columns of a file that are read once, although several readings take them."""

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
    """Within, the same columns of the same rows of a file are read once; some stay in memory."""
    before = _HELD.set({})
    try:
        yield
    finally:
        _HELD.reset(before)


def cached_cells(key: Hashable, read: Callable[[], Cells]) -> Cells:
    """The cells of that key, read if they are not held; each caller has findings of its own."""
    known = _HELD.get()
    if known is None:
        return read()
    if key not in known:
        while len(known) >= _MOST_HELD:
            del known[next(iter(known))]
        known[key] = read()
    return replace(known[key], findings=[])
