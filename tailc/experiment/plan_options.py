"""On which random numbers a plan is replayed, beside what, and what fails meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class PlanOptions:
    """How to replay the windows.

    seed: of servers that fail. failures_ppm: of 10^6 servers with a rigid job, so many fail in an
    hour. baselines: None for those that are replayed where none is named; the name `first` is for
    the first of those. allow_compile_trace: also windows that the plan was made from. progress:
    called with replays done and in all.
    """

    seed: int = 1
    failures_ppm: int = 0
    baselines: tuple[str, ...] | None = None
    allow_compile_trace: bool = False
    progress: Callable[[int, int], None] | None = None
