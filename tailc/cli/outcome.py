"""How every command ends: an outcome, rendered for people, programs or CI.

stdout is data, stderr is talk. In text the outcome's text goes to stdout and findings to stderr;
in every other format, and in every file, one document has both.
"""

from __future__ import annotations

import errno
import functools
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import click

from tailc.cli.output_option import Target, keep, output_option
from tailc.cli.own_files import own_files, words_in
from tailc.cli.volume import Volume, timed, volume, volume_options
from tailc.errors import ExitCode, Finding, Severity, TailcError
from tailc.input_files import inputs_held

if TYPE_CHECKING:
    from tailc.report.junit import JUnitCase
    from tailc.report.notes import Note

# Arguments that name the file a command is about, the first that there is.
_SUBJECTS = ("spec", "artifact", "new")
# Options and arguments of files that are read, of which `-` is standard input.
_READ = {"artifact", "artifacts", "budgets", "inputs", "new", "old", "over", "previous", "response"}
_READ |= {"since", "spec", "specs", "trace", "traces"}

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)


@dataclass(frozen=True)
class Pictures:
    """Drawn in characters: as `shown` on standard output, and `plain` in a file."""

    shown: str
    plain: str


@dataclass(frozen=True)
class Outcome:
    """What a command found out; `result` is its JSON form, notes and cases are for CI services.

    `markdown` is for a comment; a command without one has its text there. Only text has pictures.
    A text that is no answer tells what was done, which -q leaves out.
    """

    exit_code: ExitCode = ExitCode.OK
    text: str = ""
    result: dict[str, object] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    notes: tuple[Note, ...] = ()
    cases: tuple[JUnitCase, ...] = ()
    markdown: str = ""
    pictures: Pictures | None = None
    is_answer: bool = True


def reports(function: Callable[..., Outcome]) -> Callable[..., int]:
    """Give a command what all have, and turn its outcome, or its error, into an exit code."""

    @output_option
    @volume_options
    @functools.wraps(function)
    def run(*args: object, targets: tuple[Target, ...], **options: object) -> int:
        _check_read_once(options)
        keep(targets, lambda: own_files(options))
        with timed() as ended:
            with inputs_held():
                outcome = _outcome(function, *args, **options)
            command = click.get_current_context().info_name or ""
            keep(targets, lambda: words_in(outcome.result.get("files")))
            exit_code = show(command, outcome, targets, _subject(options))
            ended(exit_code)
        return exit_code

    return run


def _check_read_once(options: dict[str, object]) -> None:
    named = [word for name in _READ & options.keys() for word in words_in(options[name])]
    if named.count("-") > 1:
        raise click.UsageError("standard input can be read once: give one of the files by name")


def _subject(options: dict[str, object]) -> str:
    """The file that a command was given to look at."""
    named = (options.get(name) for name in _SUBJECTS)
    return next((path for path in named if isinstance(path, str)), "")


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
        if isinstance(error, OSError) and error.filename is not None:
            finding = _of_file(error)
            return Outcome(finding.code.exit_code, findings=(finding,))
        if os.environ.get("TAILC_DEBUG"):
            raise
        return Outcome(ExitCode.BUG, findings=(_bug(error),))


def _missing_part(error: ImportError) -> Outcome:
    """A library is not installed; a module of ours that is missing is a bug like any other."""
    from tailc.errors import Code

    part = (error.name or "").partition(".")[0]
    if part in ("", "tailc", "tailc_solvers"):
        return Outcome(ExitCode.BUG, findings=(_bug(error),))
    message = f"this command needs `{part}`, which cannot be imported: {error}"
    finding = Finding(Code.MISSING_PART, message, help=f"pip install {part}")
    return Outcome(ExitCode.MISSING_PART, findings=(finding,))


def _of_file(error: OSError) -> Finding:
    """The system refuses a file: a name that is too long, no room, or it has just vanished."""
    from tailc.errors import Code, Place

    name, reason = str(error.filename), (error.strerror or type(error).__name__).lower()
    place = Place(name)
    if error.errno in _NO_ROOM:
        hint = "make room, or get the right to write there"
        return Finding(Code.CANNOT_WRITE, f"cannot write `{name}`: {reason}", place, hint)
    hint = "check the path, and that nothing replaces or removes the file meanwhile"
    return Finding(Code.CANNOT_READ, f"`{name}` cannot be read: {reason}", place, hint)


def _bug(error: Exception) -> Finding:
    from tailc.errors import Code

    sentence = next(iter(str(error).splitlines()), "")
    return Finding(
        Code.BUG,
        f"tailc itself failed: {type(error).__name__}: {sentence}",
        help="set TAILC_DEBUG=1 for the traceback and report it with the command and its input",
    )


def show(command: str, outcome: Outcome, targets: Sequence[Target], subject: str = "") -> ExitCode:
    """Tell an outcome and return its exit code; OSError where standard output takes no more.

    Where a file cannot be written, that is what is told.
    """
    from tailc.cli.rendering import rendered

    files = [target for target in targets if target.file is not None]
    if files:
        try:
            _write([(target, rendered(target.form, command, outcome, subject)) for target in files])
        except TailcError as error:
            exit_code = outcome.exit_code or error.exit_code
            findings = (*outcome.findings, *error.findings)
            outcome = replace(outcome, exit_code=exit_code, findings=findings)
    for target in targets:
        if target.file is None:
            _print(target.form, command, outcome, subject)
    sys.stdout.flush()
    return outcome.exit_code


def _write(contents: Sequence[tuple[Target, str]]) -> None:
    from pathlib import Path

    from tailc.atomic_files import replace_files

    replace_files(
        [(Path(target.file or ""), text.encode("utf-8", "replace")) for target, text in contents]
    )


def _print(form: str, command: str, outcome: Outcome, subject: str) -> None:
    """Of text, findings go to standard error."""
    from tailc.cli.rendering import rendered, text_of

    if form != "text":
        click.echo(rendered(form, command, outcome, subject), nl=False)
        return
    is_quiet = volume() is Volume.QUIET
    if findings := _visible(outcome.findings, is_quiet=is_quiet):
        from tailc.report.findings import as_text

        colour = sys.stderr.isatty() and not os.environ.get("NO_COLOR")
        click.echo(as_text(findings, colour), err=True, color=colour)
    if is_quiet and not outcome.is_answer:
        outcome = replace(outcome, text="")
    shown = "" if outcome.pictures is None else outcome.pictures.shown
    click.echo(text_of(outcome, shown), nl=False)


def _visible(findings: tuple[Finding, ...], *, is_quiet: bool) -> tuple[Finding, ...]:
    return tuple(one for one in findings if not is_quiet or one.severity is Severity.ERROR)
