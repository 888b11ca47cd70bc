"""Progress messages while numba compiles kernels, which happens once per machine."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from numba.core.event import Event, Listener, install_listener

DOING = "translating kernels for this machine, once"


@contextlib.contextmanager
def announcing_kernels(
    draw: Callable[[str, float], None],
) -> Iterator[Callable[[str, float], None]]:
    """Wrap the function that draws progress, so that it also names the kernel being compiled."""
    progress = _Progress(draw)
    with install_listener("numba:compile", progress):
        yield progress


class _Progress(Listener):
    """Listener that shows the compilation of a kernel, and then the interrupted pass again."""

    def __init__(self, draw: Callable[[str, float], None]) -> None:
        self._draw = draw
        self._pass = ("", 0.0)
        self._within = 0
        self._kernels = 0

    def __call__(self, doing: str, share: float) -> None:
        self._pass = (doing, share)
        self._draw(doing, share)

    def on_start(self, event: Event) -> None:  # noqa: ARG002 - as every listener
        if self._within == 0:
            self._kernels += 1
            self._draw(f"{DOING}: {self._kernels}", self._pass[1])
        self._within += 1

    def on_end(self, event: Event) -> None:  # noqa: ARG002 - as every listener
        self._within -= 1
        if self._within == 0 and self._pass[0]:
            self._draw(*self._pass)
