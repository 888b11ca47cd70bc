"""Number of threads; results do not depend on it."""

from __future__ import annotations

import os


def thread_count(wanted: int | None) -> int:
    """Return `wanted`, or if it is None the number of processors available to this process."""
    if wanted is not None:
        return wanted
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
