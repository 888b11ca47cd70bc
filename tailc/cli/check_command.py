"""The command `tailc check`: report all errors of specs without compiling them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tailc.cli.outcome import CommandOutcome, command_with_outcome
from tailc.errors import ExitCode, Finding, Severity, TailcError

if TYPE_CHECKING:
    from tailc.report.junit import JUnitCase
    from tailc.specs.load import LoadedSpec


@click.command("check", short_help="Check specs, and their traces with --with-trace.")
@click.argument("specs", nargs=-1, required=True, metavar="SPEC...")
@click.option("--with-trace", is_flag=True, help="Also check the trace of each spec.")
@command_with_outcome
def command(specs: tuple[str, ...], *, with_trace: bool) -> CommandOutcome:
    """Check specs, and descriptions of held-out days, without compiling them.

    With --with-trace, also check the files that they name.

    Exits 0 if every spec is valid (warnings are allowed), 65 if one is not, 66 if a file cannot be
    read, and 6 if requests miss an SLO after the first even without waiting.
    """
    findings: list[Finding] = []
    cases: list[JUnitCase] = []
    exit_code = ExitCode.OK
    for path in specs:
        try:
            warnings = _warnings(path, with_trace)
            findings += warnings
            cases.append(_passing_case(path, len(warnings)))
        except TailcError as error:
            findings += error.findings
            exit_code = exit_code or error.exit_code
    errors = sum(finding.severity is Severity.ERROR for finding in findings)
    wrong = len(specs) - len(cases)
    text = _summary(len(specs), wrong, errors, len(findings) - errors)
    result: dict[str, object] = {"checked": len(specs), "wrong": wrong, "errors": errors}
    return CommandOutcome(
        exit_code, text, result, tuple(findings), cases=tuple(cases), is_answer=False
    )


def _summary(checked: int, wrong: int, errors: int, warnings: int) -> str:
    """Format the last line of a list; the errors of a single spec need no summary."""
    of_specs = f"{checked:,} checked" if checked == 1 else f"{checked:,} checked, {wrong:,} wrong"
    return f"{of_specs}, {_count(errors, 'error')}, {_count(warnings, 'warning')}"


def _passing_case(path: str, warnings: int) -> JUnitCase:
    """Test case of a valid spec; the findings of other specs have test cases of their own."""
    from tailc.report.junit import JUnitCase

    return JUnitCase("tailc check", path, None, "checked", _count(warnings, "warning"))


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number:,} {noun}s"


def _warnings(path: str, with_trace: bool) -> tuple[Finding, ...]:
    from tailc.pipeline.spec import complete_spec, open_document
    from tailc.policies import KINDS
    from tailc.specs.load import kind_of

    loaded = open_document(path)
    if kind_of(loaded.document) not in KINDS:
        return _warnings_of_days(loaded, path, with_trace)
    opened = complete_spec(loaded, path)
    if not with_trace:
        return opened.warnings
    from tailc.pipeline.parts import warnings_of_measured

    return (*opened.warnings, *warnings_of_measured(opened))


def _warnings_of_days(loaded: LoadedSpec, path: str, with_trace: bool) -> tuple[Finding, ...]:
    """Warnings of a description of days; a column map has none."""
    from tailc.specs.held_out_days import DaysSpec
    from tailc.specs.job_curves import unused_speedups

    if not isinstance(loaded.model, DaysSpec):
        return ()
    unused = unused_speedups(loaded.model.jobs, loaded.model.own_speedup, loaded)
    if not with_trace:
        return unused
    from tailc.studies.held_out_days import warnings_of

    return (*unused, *warnings_of(loaded, path))
