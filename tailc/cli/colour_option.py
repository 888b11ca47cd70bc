"""The option --color: whether text has colours."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TextIO

import click
from click.core import ParameterSource

_KEY = __name__
WHEN = ("auto", "always", "never")


def colour_option(*, hidden: bool) -> Callable[..., Any]:
    """Add --color to a command, or to `tailc` itself; the option of the command has precedence.

    hidden: not in the help of the command.
    """
    return click.option(
        "--color",
        type=click.Choice(WHEN),
        expose_value=False,
        hidden=hidden,
        callback=_choose,
        help="Colours of text: auto (on terminals), always or never. Also after a command.",
    )


def _choose(context: click.Context, option: click.Parameter, when: str | None) -> None:
    source = context.get_parameter_source(option.name or "")
    if when is not None and (source is not ParameterSource.DEFAULT_MAP or _KEY not in context.meta):
        context.meta[_KEY] = when


def has_colours(stream: TextIO) -> bool:
    """Whether text for a stream has colours.

    --color has precedence. Then NO_COLOR (no-color.org) turns colours off, and FORCE_COLOR
    (force-color.org) or CLICOLOR_FORCE on. Otherwise a terminal has colours unless it is dumb or
    CLICOLOR is 0 (bixense.com/clicolors); pipes and files have none.
    """
    context = click.get_current_context(silent=True)
    when = "auto" if context is None else context.meta.get(_KEY, "auto")
    if when != "auto":
        return when == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR") or os.environ.get("CLICOLOR_FORCE", "0") not in ("", "0"):
        return True
    is_off = os.environ.get("CLICOLOR") == "0" or os.environ.get("TERM") == "dumb"
    return stream.isatty() and not is_off
