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
_LOG_KEY = f"{__name__}.log"
_BEGUN = time.monotonic()
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
    return quiet(verbose(_LOG_FORMAT(function)))


def _choose_log(context: click.Context, option: click.Parameter, form: str | None) -> None:  # noqa: ARG001
    context.meta[_LOG_KEY] = form


_LOG_FORMAT = click.option(
    "--log-format",
    type=click.Choice(("text", "json")),
    expose_value=False,
    envvar="TAILC_LOG_FORMAT",
    callback=_choose_log,
    help="Print text on standard error, or a JSON object for each event: start, progress, finding, "
    "end. Default: text.",
)


def logs_json() -> bool:
    """Whether the running command writes events as JSON to standard error."""
    context = click.get_current_context(silent=True)
    return context is not None and context.meta.get(_LOG_KEY) == "json"


def log_event(event: str, **fields: object) -> None:
    """Write an event with the time since the start of the process [s]."""
    import json

    elapsed_s = round(time.monotonic() - _BEGUN, 3)
    click.echo(json.dumps({"event": event, "elapsed_s": elapsed_s, **fields}), err=True)


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
    from tailc import __version__

    if logs_json():
        context = click.get_current_context()
        log_event("start", command=context.info_name, version=__version__)
        yield lambda code: log_event("end", exit_code=int(code), result=code.name)
        return
    if volume() is not Volume.VERBOSE:
        yield lambda _: None
        return
    begun = time.monotonic()
    click.echo(f"tailc {__version__}", err=True)
    yield lambda code: click.echo(
        f"{time.monotonic() - begun:.2f} s, exit {code:d} ({code.name})", err=True
    )
