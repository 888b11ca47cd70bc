"""Progress on standard error: a bar on a terminal, a line per pass in a log.

rich and the listener of numba are imported only if progress is shown.
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator

import click

from tailc.cli.volume import Volume, log_event, logs_json, volume

_PERCENT = 100


@contextlib.contextmanager
def show_progress(wanted: bool | None) -> Iterator[Callable[[str, float], None]]:
    """Provide a function that shows progress while the context is open.

    It draws if `wanted`; by default if stderr is a terminal. With -q the default is no progress,
    with -v lines with times.
    """
    is_verbose, on_terminal = volume() is Volume.VERBOSE, sys.stderr.isatty()
    if logs_json() and wanted is not False:
        yield _Events()
        return
    if wanted is None:
        wanted = is_verbose or (on_terminal and volume() is not Volume.QUIET)
    if not wanted:
        yield _ignore_progress
        return
    from tailc.cli.kernel_progress import announcing_kernels

    with (
        _progress_display(on_terminal and not is_verbose, is_timed=is_verbose) as draw,
        announcing_kernels(draw) as progress,
    ):
        yield progress


@contextlib.contextmanager
def _progress_display(
    on_terminal: bool, *, is_timed: bool
) -> Iterator[Callable[[str, float], None]]:
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


class _Events:
    """Progress as events: each pass when it begins, and then each percent of it."""

    def __init__(self) -> None:
        self._last = ("", -1)

    def __call__(self, doing: str, share: float) -> None:
        now = doing, int(share * _PERCENT)
        if now != self._last:
            self._last = now
            log_event("progress", doing=doing, share=round(share, 4))


class _Log:
    """Progress log that prints each pass once, with the time since the first if `is_timed`."""

    def __init__(self, *, is_timed: bool) -> None:
        self._said = ""
        self._is_timed = is_timed
        self._begun = time.monotonic()

    def __call__(self, doing: str, share: float) -> None:  # noqa: ARG002 - as every progress
        if doing != self._said:
            since = f"{time.monotonic() - self._begun:6.2f} s  " if self._is_timed else ""
            click.echo(f"{since}{doing} ...", err=True)
            self._said = doing


def _ignore_progress(doing: str, share: float) -> None:
    pass
