"""The passphrase of a private key: from a file, or typed without echo."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., object])


def passphrase_file(command: Command) -> Command:
    """Add --passphrase-file to a command."""
    return click.option(
        "--passphrase-file",
        metavar="FILE",
        help="Read the passphrase of the key from the first line of a file.",
    )(command)


def read_passphrase(path: str) -> bytes:
    """Read a passphrase from the first line of a file; TailcError if there is none."""
    from tailc.errors import Code, Finding, Place, TailcError
    from tailc.input_files import open_input

    try:
        with open_input(path) as file:
            line = file.readline().rstrip(b"\r\n")
    except OSError as error:
        message = f"`{path}` cannot be read: {(error.strerror or str(error)).lower()}"
        raise TailcError(Finding(Code.CANNOT_READ, message, Place(path))) from error
    if not line:
        message = f"`{path}` has no passphrase in its first line"
        raise TailcError(Finding(Code.BAD_KEY, message, Place(path)))
    return line


def ask_passphrase(question: str, *, is_new: bool) -> bytes:
    """Ask for a passphrase, twice if it is new; a usage error without a terminal."""
    if not sys.stdin.isatty():
        raise click.UsageError(
            "there is no terminal to enter a passphrase: give `--passphrase-file`"
        )
    typed = click.prompt(question, hide_input=True, confirmation_prompt=is_new, err=True)
    return str(typed).encode()
