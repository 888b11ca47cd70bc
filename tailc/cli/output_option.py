"""--output-format: in which forms a command tells what came of it, and where to."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import click

FORMATS = ("text", "json", "jsonl", "junit", "github", "gitlab", "sarif", "markdown")
_HELP = (
    f"Format of the result: {', '.join(FORMATS)}, on standard output, or FORMAT:FILE into a "
    "file. May be repeated."
)


@dataclass(frozen=True)
class Target:
    """A form, and the file it goes to; None: standard output."""

    form: str
    file: str | None = None


TEXT = Target("text")


class _TargetType(click.ParamType):
    name = "format"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> Target:
        if isinstance(value, Target):
            return value
        form, colon, file = str(value).partition(":")
        if form not in FORMATS:
            from tailc.errors import did_you_mean

            self.fail(f"no such format `{form}`; {did_you_mean(form, FORMATS)}", param, ctx)
        if colon and (not file or file.endswith("/")):
            self.fail(f"`{value}` names no file: write {form}:FILE", param, ctx)
        if file == "-":
            self.fail(f"`{value}`: write `{form}` for standard output", param, ctx)
        return Target(form, file if colon else None)


_TYPE = _TargetType()


def output_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command --output-format; it gets a tuple of `targets`."""
    option = click.option(
        "--output-format",
        "targets",
        type=_TYPE,
        multiple=True,
        metavar="FORMAT[:FILE]",
        callback=lambda _, __, given: _checked(given),
        help=_HELP,
    )
    return option(function)


def _checked(given: tuple[Target, ...]) -> tuple[Target, ...]:
    """Text on standard output where nothing else goes there; two cannot have one place."""
    from pathlib import Path

    places = [target.file and Path(target.file).resolve() for target in given]
    twice = next((place for place in places if places.count(place) > 1), "")
    if twice is None:
        raise click.BadParameter("only one format can go to standard output: write FORMAT:FILE")
    if twice:
        raise click.BadParameter(f"two formats would go to `{twice}`: name another file for one")
    return given if None in places else (TEXT, *given)


def keep(targets: Sequence[Target], files: Callable[[], Iterable[str]]) -> None:
    """Refuse targets that are files the command reads or has written itself, by whatever path.

    `files` are asked for only where a target is a file.
    """
    from os.path import realpath

    places = {realpath(target.file): target for target in targets if target.file is not None}
    for file in files() if places else ():
        target = places.get(realpath(file))
        if target is not None:
            raise click.UsageError(
                f"`{target.form}:{target.file}` would replace a file of this command: name another"
            )


def target_among(arguments: Sequence[str]) -> Target:
    """What a command line wants on standard output, whatever else is wrong with it.

    Files are not written then: one could be a file that the command should have read.
    """
    words = [word for argument in arguments for word in argument.split("=", 1)]
    for option, value in itertools.pairwise(words):
        if option == "--output-format" and value in FORMATS:
            return Target(value)
    return TEXT
