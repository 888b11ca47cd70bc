"""Progress on stderr: a bar on a terminal, a line for each pass in a log.

rich, and numba to ask it what it does, are imported only where something is drawn.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator

import click


@contextlib.contextmanager
def shown(wanted: bool | None) -> Iterator[Callable[[str, float], None]]:
    """A progress callable; it draws if `wanted`, by default when stderr is a terminal."""
    on_terminal = sys.stderr.isatty()
    if not (on_terminal if wanted is None else wanted):
        yield _draw_nothing
        return
    from tailc.cli.translating import told

    with _drawn(on_terminal) as draw, told(draw) as progress:
        yield progress


@contextlib.contextmanager
def _drawn(on_terminal: bool) -> Iterator[Callable[[str, float], None]]:
    if not on_terminal:
        yield _Log()
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
    """Says each pass once."""

    def __init__(self) -> None:
        self._said = ""

    def __call__(self, doing: str, share: float) -> None:  # noqa: ARG002 - as every progress
        if doing != self._said:
            click.echo(f"{doing} ...", err=True)
            self._said = doing


def _draw_nothing(doing: str, share: float) -> None:
    pass
