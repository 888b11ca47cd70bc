"""Progress on stderr: a bar on a terminal, a line for each pass in a log.

rich, and numba to ask it what it does, are imported only where something is drawn.
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator

import click

from tailc.cli.volume import Volume, volume


@contextlib.contextmanager
def shown(wanted: bool | None) -> Iterator[Callable[[str, float], None]]:
    """A progress callable; it draws if `wanted`, by default when stderr is a terminal.

    With -q by default none, and with -v lines with times.
    """
    is_told, on_terminal = volume() is Volume.VERBOSE, sys.stderr.isatty()
    if wanted is None:
        wanted = is_told or (on_terminal and volume() is not Volume.QUIET)
    if not wanted:
        yield _draw_nothing
        return
    from tailc.cli.kernel_progress import announcing_kernels

    with (
        _drawn(on_terminal and not is_told, is_timed=is_told) as draw,
        announcing_kernels(draw) as progress,
    ):
        yield progress


@contextlib.contextmanager
def _drawn(on_terminal: bool, *, is_timed: bool) -> Iterator[Callable[[str, float], None]]:
    if not on_terminal:
        yield _Log(is_timed=is_timed)
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=1.0)

        def draw(doing: str, share: float) -> None:
            bar.update(task, description=doing, completed=share)

        yield draw


class _Log:
    """Says each pass once, with the time since the first where that is asked for."""

    def __init__(self, *, is_timed: bool) -> None:
        self._said = ""
        self._is_timed = is_timed
        self._begun = time.monotonic()

    def __call__(self, doing: str, share: float) -> None:  # noqa: ARG002 - as every progress
        if doing != self._said:
            since = f"{time.monotonic() - self._begun:6.2f} s  " if self._is_timed else ""
            click.echo(f"{since}{doing} ...", err=True)
            self._said = doing


def _draw_nothing(doing: str, share: float) -> None:
    pass
