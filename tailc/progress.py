"""How long work says where it is: a callable that takes a sentence and a share of the whole."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Called now and then from the main thread; must not raise."""

    def __call__(self, doing: str, share: float, /) -> None:
        """`doing` names the pass, `share` (0 to 1) how much of it is done."""
        ...


def silent(doing: str, share: float) -> None:
    """Say nothing."""
