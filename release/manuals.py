"""Manual pages of all commands, from the texts of `--help`."""

from __future__ import annotations

from collections.abc import Iterator

import click

from tailc.cli import BELOW, COMMANDS, group

_SECTION = 1


def manual_pages(version: str) -> Iterator[tuple[str, bytes]]:
    """Name and content of each page, in order of name."""
    names = ["", *COMMANDS, *(" ".join(words) for words in BELOW)]
    for name in sorted(names):
        title = f"tailc {name}".strip()
        yield f"{title.replace(' ', '-')}.{_SECTION}", _page(title, version).encode()


def _page(title: str, version: str) -> str:
    context = _context(title)
    command = context.command
    text = (command.help or "").split("\n\n")
    usage = command.get_usage(context).removeprefix("Usage: ")
    parts = [
        f'.TH "{title.replace(" ", "-").upper()}" {_SECTION} "" "tailc {version}"',
        f".SH NAME\n{_escaped(title)} \\- {_escaped(_joined(text[0]).rstrip('.'))}",
        f".SH SYNOPSIS\n{_escaped(_joined(usage))}",
        ".SH DESCRIPTION\n" + "\n.PP\n".join(_escaped(_joined(part)) for part in text),
        ".SH OPTIONS\n" + "\n".join(_options(context)),
    ]
    if not title.partition(" ")[2]:
        parts.append(".SH COMMANDS\n" + "\n".join(_entry(*item) for item in COMMANDS.items()))
    return "\n".join(parts) + "\n"


def _context(title: str) -> click.Context:
    """The context of a command, as the command line makes it."""
    whole = click.Context(group, info_name="tailc", **group.context_settings)
    words = title.split()[1:]
    if not words:
        return whole
    name, command, _ = group.resolve_command(whole, words)
    assert command is not None
    return click.Context(command, info_name=name, parent=whole)


def _options(context: click.Context) -> Iterator[str]:
    for parameter in context.command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None and record[1]:
            yield _entry(*record)


def _entry(term: str, text: str) -> str:
    return f".TP\n\\fB{_escaped(term)}\\fR\n{_escaped(_joined(text))}"


def _joined(text: str) -> str:
    return " ".join(text.replace("\b", "").split())


def _escaped(text: str) -> str:
    """Text as roff prints it: dashes as they are typed, and no line is a request."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped
