"""How every command ends: an outcome, rendered for people, programs or CI.

stdout is data, stderr is talk. In text the outcome's text goes to stdout and findings to stderr;
in every other format one document with both goes to stdout.
"""

from __future__ import annotations

import functools
import itertools
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import click

from tailc.errors import ExitCode, Finding, TailcError

if TYPE_CHECKING:
    from tailc.report.junit import Case

FORMATS = ("text", "json", "github")
# What some commands print besides, by the command's name.
MORE_FORMATS = {
    "verify": ("junit", "markdown"),
    "diff": ("markdown",),
    "simulate": ("markdown",),
    "vary": ("markdown",),
    "size": ("markdown",),
    "size_cores": ("markdown",),
    "size_colocation": ("markdown",),
    "fit_arrivals": ("markdown",),
    "fit_power": ("markdown",),
}
_HELP = {
    "text": "text for people",
    "json": "one JSON document",
    "github": "GitHub annotations",
    "junit": "JUnit XML",
    "markdown": "Markdown for a comment",
}


@dataclass(frozen=True)
class Outcome:
    """What a command found out; `result` is its JSON form, `annotations` extra CI lines.

    `cases` and `markdown` are for the commands that print JUnit and Markdown.
    """

    exit_code: ExitCode = ExitCode.OK
    text: str = ""
    result: dict[str, object] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    annotations: tuple[str, ...] = ()
    cases: tuple[Case, ...] = ()
    markdown: str = ""


def formats_of(command: str) -> tuple[str, ...]:
    """The output formats of a command."""
    return (*FORMATS, *MORE_FORMATS.get(command, ()))


def reports(function: Callable[..., Outcome]) -> Callable[..., int]:
    """Give a command --output-format and turn its outcome, or its error, into an exit code.

    The command is named by its file, `tailc/cli/NAME_command.py`.
    """
    formats = formats_of(function.__module__.rpartition(".")[2].removesuffix("_command"))

    @click.option(
        "--output-format",
        type=click.Choice(formats),
        default="text",
        show_default=True,
        help=_listing([_HELP[name] for name in formats]),
    )
    @functools.wraps(function)
    def run(*args: object, output_format: str, **options: object) -> int:
        outcome = _outcome(function, *args, **options)
        return show(click.get_current_context().info_name or "", outcome, output_format)

    return run


def _outcome(function: Callable[..., Outcome], *args: object, **options: object) -> Outcome:
    try:
        return function(*args, **options)
    except TailcError as error:
        return Outcome(error.exit_code, findings=error.findings)
    except (click.ClickException, click.exceptions.Exit, click.Abort):
        raise
    except ImportError as error:
        return _missing_part(error)
    except Exception as error:
        if os.environ.get("TAILC_DEBUG"):
            raise
        return Outcome(ExitCode.BUG, findings=(_bug(error),))


def _listing(words: Sequence[str]) -> str:
    text = f"{', '.join(words[:-1])}, or {words[-1]}."
    return text[0].upper() + text[1:]


def _missing_part(error: ImportError) -> Outcome:
    """A library is not installed; a module of ours that is missing is a bug like any other."""
    from tailc.errors import Code

    part = (error.name or "").partition(".")[0]
    if part in ("", "tailc", "tailc_solvers"):
        return Outcome(ExitCode.BUG, findings=(_bug(error),))
    message = f"this command needs `{part}`, which cannot be imported: {error}"
    finding = Finding(Code.MISSING_PART, message, help=f"pip install {part}")
    return Outcome(ExitCode.MISSING_PART, findings=(finding,))


def _bug(error: Exception) -> Finding:
    from tailc.errors import Code

    sentence = next(iter(str(error).splitlines()), "")
    return Finding(
        Code.BUG,
        f"tailc itself failed: {type(error).__name__}: {sentence}",
        help="set TAILC_DEBUG=1 for the traceback and report it with the command and its input",
    )


def format_among(command: str, arguments: Sequence[str]) -> str:
    """The output format that a command line asks for, whatever else is wrong with it."""
    words = [word for argument in arguments for word in argument.split("=", 1)]
    for option, value in itertools.pairwise(words):
        if option == "--output-format" and value in formats_of(command):
            return value
    return "text"


def show(command: str, outcome: Outcome, output_format: str) -> ExitCode:
    """Print an outcome and return its exit code; OSError where standard output takes no more."""
    _print(command, outcome, output_format)
    sys.stdout.flush()
    return outcome.exit_code


def _print(command: str, outcome: Outcome, output_format: str) -> None:
    from tailc.report import findings as render

    if output_format == "json":
        from tailc.report.document import json_document

        click.echo(json_document(command, outcome.exit_code, outcome.findings, outcome.result))
    elif output_format == "github":
        lines = [*render.as_github(outcome.findings).splitlines(), *outcome.annotations]
        click.echo("\n".join(lines), nl=bool(lines))
    elif output_format == "junit":
        from tailc.report.junit import junit_document

        click.echo(junit_document(command, outcome.cases, outcome.findings), nl=False)
    elif output_format == "markdown":
        parts = [outcome.markdown, render.as_markdown(outcome.findings)]
        click.echo("\n".join(part for part in parts if part), nl=False)
    else:
        if outcome.findings:
            colour = sys.stderr.isatty() and not os.environ.get("NO_COLOR")
            click.echo(render.as_text(outcome.findings, colour), err=True, color=colour)
        click.echo(outcome.text, nl=bool(outcome.text) and not outcome.text.endswith("\n"))
