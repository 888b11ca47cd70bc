"""On which random numbers a plan is judged, and what fails meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class PlanOptions:
    """How to replay the windows.

    seed: of servers that fail. failures_ppm: of 10^6 servers with a rigid job, so many fail in an
    hour. allow_compile_trace: also windows that the plan was made from. progress: called with
    replays done and in all.
    """

    seed: int = 1
    failures_ppm: int = 0
    allow_compile_trace: bool = False
    progress: Callable[[int, int], None] | None = None


class Progress:
    """Counts the replays that are done, of so many."""

    def __init__(self, options: PlanOptions, of: int) -> None:
        self._tell = options.progress
        self._of = of
        self._done = 0

    def step(self) -> None:
        """One more is done."""
        self._done += 1
        if self._tell is not None:
            self._tell(self._done, self._of)
