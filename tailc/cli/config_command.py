"""The command `tailc config`: print the values of options, and where each is from."""

from __future__ import annotations

from typing import Any

import click
from click.core import ParameterSource

from tailc.cli.configuration import OptionFile, options_of
from tailc.cli.outcome import CommandOutcome, command_with_outcome

_HEADER = ("option", "value", "from", "variable")


@click.command("config", short_help="Print the values of options and their origin.")
@click.argument("words", nargs=-1, metavar="[COMMAND]...")
@command_with_outcome
def command(words: tuple[str, ...]) -> CommandOutcome:
    """Print each option of COMMAND with its value, where the value is from, and its variable.

    Without COMMAND: the options of `tailc` itself. An option on the command line has precedence
    over its variable, this over the nearest tailc.toml (or [tool.tailc] of a pyproject.toml), and
    this over the default.
    """
    root = click.get_current_context().find_root()
    found: OptionFile | None = root.obj
    context = _context(root, words)
    rows = [_row(option, context, found) for option in options_of(context.command).values()]
    table = [
        _HEADER,
        *((row["option"], row["value"], row["from"], row["variable"]) for row in rows),
    ]
    widths = [max(len(line[column]) for line in table) for column in range(len(_HEADER))]
    lines = ["  ".join(map(str.ljust, line, widths)).rstrip() for line in table]
    file = "none" if found is None else found.path
    result: dict[str, object] = {"file": found and found.path, "options": rows}
    return CommandOutcome(text="\n".join([f"file: {file}", "", *lines]), result=result)


def _context(root: click.Context, words: tuple[str, ...]) -> click.Context:
    """The context of a command, as the command line makes it."""
    if not words:
        return root
    group = root.command
    assert isinstance(group, click.Group)
    name, below, rest = group.resolve_command(root, list(words))
    if rest or below is None:
        raise click.UsageError(f"`{' '.join(words)}` is no command; `tailc --help` lists them")
    return click.Context(below, info_name=name, parent=root, **below.context_settings)


def _row(option: click.Option, context: click.Context, found: OptionFile | None) -> dict[str, Any]:
    value, source = option.consume_value(context, {})
    name = max(option.opts, key=len)
    variable = _variable(option, context)
    return {
        "option": name,
        "value": _text(value),
        "from": _origin(source, name, variable, context, found),
        "variable": variable,
    }


def _variable(option: click.Option, context: click.Context) -> str:
    if isinstance(option.envvar, str):
        return option.envvar
    return f"{context.auto_envvar_prefix}_{(option.name or '').upper()}"


def _text(value: Any) -> str:
    """A value as a file would have it; empty without one."""
    if isinstance(value, list | tuple):
        return ", ".join(map(_text, value))
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, str | int | float) else ""


def _origin(
    source: ParameterSource,
    name: str,
    variable: str,
    context: click.Context,
    found: OptionFile | None,
) -> str:
    if source is ParameterSource.ENVIRONMENT:
        return variable
    if source is not ParameterSource.DEFAULT_MAP or found is None:
        return "default"
    key = name.removeprefix("--")
    tables = [context.info_name or "", ""] if context.parent else [""]
    lines = (found.line_of(table, key) for table in tables)
    line = next((line for line in lines if line is not None), None)
    return found.path if line is None else f"{found.path}:{line}"
