"""The option --output-format: formats of a command's output, and where each goes."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import click

FORMATS = (
    *("text", "concise", "json", "jsonl", "junit", "github", "gitlab", "azure", "sarif"),
    *("rdjson", "markdown"),
)
# Formats separated by blanks, for commands without the option.
VARIABLE = "TAILC_OUTPUT_FORMAT"
_HELP = (
    f"Format of the result: {', '.join(FORMATS)}, on standard output, or FORMAT:FILE into a "
    "file. May be repeated."
)


@dataclass(frozen=True)
class OutputTarget:
    """A format and the file that it is written to; None: standard output."""

    form: str
    file: str | None = None


TEXT = OutputTarget("text")


class _TargetType(click.ParamType):
    name = "format"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> OutputTarget:
        if isinstance(value, OutputTarget):
            return value
        form, colon, file = str(value).partition(":")
        if form not in FORMATS:
            from tailc.errors import did_you_mean

            where = f" (in {VARIABLE})" if str(value) in _words_of_variable() else ""
            hint = did_you_mean(form, FORMATS)
            self.fail(f"there is no format `{form}`{where}; {hint}", param, ctx)
        if colon and (not file or file.endswith("/")):
            self.fail(f"`{value}` has no file: write `{form}:FILE`", param, ctx)
        if file == "-":
            self.fail(f"`{value}` is not a file: write `{form}` for standard output", param, ctx)
        return OutputTarget(form, file if colon else None)


_TYPE = _TargetType()


def _words_of_variable() -> list[str]:
    return os.environ.get(VARIABLE, "").split()


def output_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add --output-format to a command, which gets a tuple of `targets`."""
    option = click.option(
        "--output-format",
        "targets",
        type=_TYPE,
        multiple=True,
        metavar="FORMAT[:FILE]",
        envvar=VARIABLE,
        callback=lambda _, __, requested: _check_targets(requested),
        help=_HELP,
    )
    return option(function)


def _check_targets(requested: tuple[OutputTarget, ...]) -> tuple[OutputTarget, ...]:
    """Add text on standard output if no other format goes there; refuse two formats in one
    place.
    """
    from pathlib import Path

    places = [target.file and Path(target.file).resolve() for target in requested]
    twice = next((place for place in places if places.count(place) > 1), "")
    if twice is None:
        raise click.BadParameter(
            "only one format can go to standard output: write the others as `FORMAT:FILE`"
        )
    if twice:
        raise click.BadParameter(f"two formats would be written to `{twice}`: give different files")
    return requested if None in places else (TEXT, *requested)


def refuse_own_files(targets: Sequence[OutputTarget], files: Callable[[], Iterable[str]]) -> None:
    """Refuse output files that the command also reads or writes, by whatever path.

    files: gives these paths; called only if a target is a file.
    """
    from os.path import realpath

    places = {realpath(target.file): target for target in targets if target.file is not None}
    for file in files() if places else ():
        target = places.get(realpath(file))
        if target is not None:
            raise click.UsageError(
                f"`{target.form}:{target.file}` would replace another file of this command: give "
                "a different file"
            )


def find_stdout_target(arguments: Sequence[str]) -> OutputTarget:
    """The format that a command line requests for standard output, even if it has errors.

    File targets are ignored: a file could be an input of the command.
    """
    words = [word for argument in arguments for word in argument.split("=", 1)]
    given = [value for option, value in itertools.pairwise(words) if option == "--output-format"]
    forms = [value for value in given or _words_of_variable() if value in FORMATS]
    return OutputTarget(forms[0]) if forms else TEXT
