"""How many threads to work with; no answer depends on it."""

from __future__ import annotations

import os


def thread_count(wanted: int | None) -> int:
    """`wanted`, or one for each processor this process may use."""
    return wanted or len(os.sched_getaffinity(0))
