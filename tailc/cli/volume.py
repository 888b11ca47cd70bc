"""The options -q and -v of all commands: how many messages are printed."""

from __future__ import annotations

import enum
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click
from click.core import ParameterSource

from tailc.errors import ExitCode

_KEY = __name__
# An option on the command line replaces these.
_WEAK = (ParameterSource.ENVIRONMENT, ParameterSource.DEFAULT_MAP)


class Volume(enum.Enum):
    """How much is printed.

    QUIET: errors and results. NORMAL: also warnings and messages. VERBOSE: also passes of a compile
    with times.
    """

    QUIET = "quiet"
    NORMAL = "normal"
    VERBOSE = "verbose"


def volume() -> Volume:
    """How much the running command prints."""
    context = click.get_current_context(silent=True)
    return Volume.NORMAL if context is None else context.meta.get(_KEY, Volume.NORMAL)


def volume_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add -q and -v to a command."""
    quiet = _flag(
        "-q",
        Volume.QUIET,
        "Print only errors and answers; nothing if the result is written to a file.",
    )
    verbose = _flag("-v", Volume.VERBOSE, "Print each pass and its time on standard error.")
    return quiet(verbose(function))


def _flag(short: str, chosen: Volume, text: str) -> Callable[..., Any]:
    def choose(context: click.Context, option: click.Parameter, is_given: bool) -> None:
        source = context.get_parameter_source(option.name or "")
        is_replaced = source in _WEAK and _KEY in context.meta
        if not is_given or is_replaced:
            return
        if context.meta.setdefault(_KEY, chosen) is not chosen:
            raise click.UsageError("-q and -v are opposites: give only one of them")

    long = f"--{chosen.value}"
    return click.option(
        *(short, long),
        is_flag=True,
        expose_value=False,
        envvar=f"TAILC_{chosen.name}",
        callback=choose,
        help=text,
    )


@contextmanager
def time_command() -> Iterator[Callable[[ExitCode], None]]:
    """With -v, print the version now and, when the returned function is called, the duration.

    The function gets the exit code of the command.
    """
    if volume() is not Volume.VERBOSE:
        yield lambda _: None
        return
    from tailc import __version__

    begun = time.monotonic()
    click.echo(f"tailc {__version__}", err=True)
    yield lambda code: click.echo(
        f"{time.monotonic() - begun:.2f} s, exit {code:d} ({code.name})", err=True
    )
