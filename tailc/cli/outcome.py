"""The outcome of a command, and its output for people, programs or CI services.

Standard output is for data, standard error for messages. In the text format, results go to standard
output and findings to standard error; all other formats, and all files, have both.
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

from tailc.cli.colour_option import colour_option, has_colours
from tailc.cli.output_option import OutputTarget, output_option, refuse_own_files
from tailc.cli.own_files import own_files, words_in
from tailc.cli.volume import (
    Volume,
    log_event,
    logs_json,
    time_command,
    volume,
    volume_options,
)
from tailc.errors import ExitCode, Finding, Severity, TailcError, bug_finding
from tailc.input_files import inputs_held

if TYPE_CHECKING:
    from tailc.report.junit import JUnitCase
    from tailc.report.notes import Note

# Arguments with the file that a command is about; the first one with a value counts.
_SUBJECTS = ("spec", "artifact", "new")
# Options and arguments with files to read, for which `-` is standard input.
_READ = {"artifact", "artifacts", "budgets", "inputs", "new", "old", "over", "previous", "response"}
_READ |= {"measured", "since", "spec", "specs", "trace", "traces"}

_RECORDS = __name__
# Key of the context of a command that did not verify signatures although keys are trusted.
SKIPPED_VERIFICATION = f"{__name__}.skipped"
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)


@dataclass(frozen=True)
class Pictures:
    """Pictures made of characters: `for_terminal` may have colours, `plain` is for files."""

    for_terminal: str
    plain: str


@dataclass(frozen=True)
class CommandOutcome:
    """What a command reports: its text, its exit code, and its result in JSON.

    notes: messages for people. cases: test cases for CI services. markdown: text for comments on
    code reviews; if empty, `text` is used. pictures: shown only after text. is_answer: whether the
    text is what the user asked for; -q omits other texts.
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


def command_with_outcome(function: Callable[..., CommandOutcome]) -> Callable[..., int]:
    """Decorate a function as a command: add the common options, print its outcome.

    The outcome or the error of the function becomes the exit code.
    """

    @output_option
    @volume_options
    @colour_option(hidden=True)
    @functools.wraps(function)
    def run(*args: object, targets: tuple[OutputTarget, ...], **options: object) -> int:
        _check_read_once(options)
        refuse_own_files(targets, lambda: own_files(options))
        with time_command() as ended:
            with inputs_held():
                outcome = _with_skipped(_outcome(function, *args, **options))
            records = click.get_current_context().meta.get(_RECORDS)
            if records is not None:
                records.append(outcome)
                return outcome.exit_code
            command = click.get_current_context().info_name or ""
            refuse_own_files(targets, lambda: words_in(outcome.result.get("files")))
            exit_code = show(command, outcome, targets, _subject(options))
            ended(exit_code)
        return exit_code

    return run


def _with_skipped(outcome: CommandOutcome) -> CommandOutcome:
    """Add the warning about signatures that were not verified."""
    if SKIPPED_VERIFICATION not in click.get_current_context().meta:
        return outcome
    from tailc.cli.trust_option import skipped_finding

    return replace(outcome, findings=(skipped_finding(), *outcome.findings))


def recorded_outcome(context: click.Context) -> CommandOutcome:
    """Run the command of a click context, and return its outcome instead of printing it."""
    records: list[CommandOutcome] = []
    context.meta[_RECORDS] = records
    with context:
        context.command.invoke(context)
    return records[0]


def _check_read_once(options: dict[str, object]) -> None:
    named = [word for name in _READ & options.keys() for word in words_in(options[name])]
    if named.count("-") > 1:
        raise click.UsageError(
            "standard input can be read only once: give one of the inputs as a file"
        )


def _subject(options: dict[str, object]) -> str:
    """The file that the command is about, or empty."""
    named = (options.get(name) for name in _SUBJECTS)
    return next((path for path in named if isinstance(path, str)), "")


def _outcome(
    function: Callable[..., CommandOutcome], *args: object, **options: object
) -> CommandOutcome:
    try:
        return function(*args, **options)
    except TailcError as error:
        return CommandOutcome(error.exit_code, findings=error.findings)
    except (click.ClickException, click.exceptions.Exit, click.Abort):
        raise
    except (ImportError, MemoryError) as error:
        return _missing_part(error)
    except Exception as error:
        if _is_unmapped(error):
            return _no_memory()
        if isinstance(error, OSError) and error.filename is not None:
            finding = _of_file(error)
            return CommandOutcome(finding.code.exit_code, findings=(finding,))
        if os.environ.get("TAILC_DEBUG"):
            raise
        return CommandOutcome(ExitCode.BUG, findings=(bug_finding(error),))


def _is_unmapped(error: Exception) -> bool:
    """Whether a library could not be loaded in a limited address space."""
    is_loading = any(words in str(error) for words in ("failed to map", "libllvmlite"))
    return is_loading and _address_limit() is not None


def _address_limit() -> int | None:
    """Limit of the address space [bytes]; None: it has none."""
    import resource

    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if limit == resource.RLIM_INFINITY else limit


def _no_memory() -> CommandOutcome:
    from tailc.errors import Code

    limit = _address_limit()
    among = "" if limit is None else f" within the address space of {limit >> 20} MiB"
    hint = (
        "give it more memory, or a shorter trace"
        if limit is None
        else "raise `ulimit -v` to 1 GiB or more, or limit the memory by a cgroup instead"
    )
    finding = Finding(Code.NO_MEMORY, f"too little memory{among}", help=hint)
    return CommandOutcome(finding.code.exit_code, findings=(finding,))


def _missing_part(error: ImportError | MemoryError) -> CommandOutcome:
    """Outcome for memory that is not there, and for a library that is not installed.

    A missing module of tailc is a bug.
    """
    from tailc.errors import Code

    if isinstance(error, MemoryError) or _is_unmapped(error):
        return _no_memory()
    part = (error.name or "").partition(".")[0]
    if part in ("", "tailc", "tailc_solvers"):
        return CommandOutcome(ExitCode.BUG, findings=(bug_finding(error),))
    message = f"this command needs `{part}`, which cannot be imported: {error}"
    finding = Finding(Code.MISSING_PART, message, help=f"pip install {part}")
    return CommandOutcome(ExitCode.MISSING_PART, findings=(finding,))


def _of_file(error: OSError) -> Finding:
    """Finding for a file that the system refuses: long name, full disk, or file just removed."""
    from tailc.errors import Code, Place

    name, reason = str(error.filename), (error.strerror or type(error).__name__).lower()
    place = Place(name)
    if error.errno in _NO_ROOM:
        hint = "free disk space, or get permission to write there"
        return Finding(Code.CANNOT_WRITE, f"cannot write `{name}`: {reason}", place, hint)
    hint = "check the path, and that no program replaces or removes the file during the command"
    return Finding(Code.CANNOT_READ, f"`{name}` cannot be read: {reason}", place, hint)


def show(
    command: str, outcome: CommandOutcome, targets: Sequence[OutputTarget], subject: str = ""
) -> ExitCode:
    """Write the outcome of a command to all targets and return its exit code.

    If a file cannot be written, the outcome gets a finding about it. Raises OSError if standard
    output is closed.
    """
    from tailc.cli.rendering import render_document

    files = [target for target in targets if target.file is not None]
    if files:
        try:
            _write(
                [
                    (target, render_document(target.form, command, outcome, subject))
                    for target in files
                ]
            )
        except TailcError as error:
            exit_code = outcome.exit_code or error.exit_code
            findings = (*outcome.findings, *error.findings)
            outcome = replace(outcome, exit_code=exit_code, findings=findings)
    for target in targets:
        if target.file is None:
            _print(target.form, command, outcome, subject)
    sys.stdout.flush()
    return outcome.exit_code


def _write(contents: Sequence[tuple[OutputTarget, str]]) -> None:
    from pathlib import Path

    from tailc.atomic_files import replace_files

    replace_files(
        [(Path(target.file or ""), text.encode("utf-8", "replace")) for target, text in contents]
    )


def _print(form: str, command: str, outcome: CommandOutcome, subject: str) -> None:
    """Print the outcome; in the text format, findings go to standard error."""
    from tailc.cli.rendering import outcome_text, render_document

    if form != "text":
        click.echo(render_document(form, command, outcome, subject), nl=False)
        return
    is_quiet = volume() is Volume.QUIET
    if findings := _visible(outcome.findings, is_quiet=is_quiet):
        if logs_json():
            from tailc.report.findings import as_dicts

            for finding in as_dicts(findings):
                log_event("finding", **finding)
        else:
            _print_findings(findings)
    if is_quiet and not outcome.is_answer:
        outcome = replace(outcome, text="")
    pictures_text = "" if outcome.pictures is None else outcome.pictures.for_terminal
    click.echo(outcome_text(outcome, pictures_text), nl=False, color=has_colours(sys.stdout))


def _print_findings(findings: Sequence[Finding]) -> None:
    from tailc.report.findings import as_text

    colour = has_colours(sys.stderr)
    click.echo(as_text(findings, colour), err=True, color=colour)


def _visible(findings: tuple[Finding, ...], *, is_quiet: bool) -> tuple[Finding, ...]:
    return tuple(one for one in findings if not is_quiet or one.severity is Severity.ERROR)
