"""Number of threads that a command uses; its results do not depend on it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_MOST: ContextVar[int | None] = ContextVar("most threads", default=None)


def thread_count(wanted: int | None) -> int:
    """Return `wanted`; if it is None, the number of processors available to this process.

    Within `at_most_threads` it is at most the limit given there.
    """
    if wanted is not None:
        return wanted
    most = _MOST.get()
    if hasattr(os, "sched_getaffinity"):
        available = len(os.sched_getaffinity(0))
    else:
        available = os.cpu_count() or 1
    return available if most is None else min(most, available)


@contextmanager
def at_most_threads(most: int) -> Iterator[None]:
    """Context that limits `thread_count` in this thread, for one of several parallel processes."""
    before = _MOST.set(most)
    try:
        yield
    finally:
        _MOST.reset(before)
