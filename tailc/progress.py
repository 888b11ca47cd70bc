"""Progress reports of long work: a function that gets a sentence and the share that is done."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """A function that shows progress; it is called from the main thread and must not raise."""

    def __call__(self, doing: str, share: float, /) -> None:
        """Report the pass `doing` and the share (0 to 1) of it that is done."""
        ...


def silent(doing: str, share: float) -> None:
    """Show no progress."""
