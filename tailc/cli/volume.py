"""-q and -v, which every command has: how much it says beside what it is asked for."""

from __future__ import annotations

import enum
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from tailc.errors import ExitCode

_KEY = __name__


class Volume(enum.Enum):
    """Errors and answers alone, also what was done and warnings, or also each pass and its time."""

    QUIET = "quiet"
    NORMAL = "normal"
    VERBOSE = "verbose"


def volume() -> Volume:
    """The one that the running command was given."""
    context = click.get_current_context(silent=True)
    return Volume.NORMAL if context is None else context.meta.get(_KEY, Volume.NORMAL)


def volume_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command -q and -v."""
    quiet = _flag("-q", Volume.QUIET, "Print errors and results only.")
    verbose = _flag("-v", Volume.VERBOSE, "Print each pass and its time on standard error.")
    return quiet(verbose(function))


def _flag(short: str, chosen: Volume, text: str) -> Callable[..., Any]:
    def choose(context: click.Context, _: click.Parameter, is_given: bool) -> None:
        if not is_given:
            return
        if context.meta.setdefault(_KEY, chosen) is not chosen:
            raise click.UsageError("-q and -v are opposites: give one")

    long = f"--{chosen.value}"
    return click.option(short, long, is_flag=True, expose_value=False, callback=choose, help=text)


@contextmanager
def timed() -> Iterator[Callable[[ExitCode], None]]:
    """Where all is told, say which version runs, and, when the callable is called, how it ended."""
    if volume() is not Volume.VERBOSE:
        yield lambda _: None
        return
    from tailc import __version__

    begun = time.monotonic()
    click.echo(f"tailc {__version__}", err=True)
    yield lambda code: click.echo(
        f"{time.monotonic() - begun:.2f} s, exit {code:d} ({code.name})", err=True
    )
