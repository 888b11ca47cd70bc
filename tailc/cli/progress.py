"""Progress on a terminal: a bar on stderr, drawn by rich, which is imported only then."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator


@contextlib.contextmanager
def shown(wanted: bool | None) -> Iterator[Callable[[str, float], None]]:
    """A progress callable; it draws if `wanted`, by default when stderr is a terminal."""
    if not (sys.stderr.isatty() if wanted is None else wanted):
        yield _draw_nothing
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=1.0)

        def draw(doing: str, share: float) -> None:
            bar.update(task, description=doing, completed=share)

        yield draw


def _draw_nothing(doing: str, share: float) -> None:
    pass
