"""The command `tailc check`: report all errors of specs without compiling them."""

from __future__ import annotations

from collections import Counter
from functools import partial
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
@click.option("--statistics", is_flag=True, help="Print how often each code occurs.")
@click.option(
    "--watch", is_flag=True, help="Check again after each change of a spec, until interrupted."
)
@command_with_outcome
def command(
    specs: tuple[str, ...], *, with_trace: bool, statistics: bool, watch: bool
) -> CommandOutcome:
    """Check specs, and descriptions of held-out days, without compiling them.

    With --with-trace, also check the files that they name. A comment `# tailc: ignore[CODE] reason`
    in a spec hides warnings of its line, or of the line below.

    Exits 0 if every spec is valid (warnings are allowed), 65 if one is not, 66 if a file cannot be
    read, and 6 if requests miss an SLO after the first even without waiting.
    """
    check = partial(_check, specs, with_trace=with_trace, statistics=statistics)
    if not watch:
        return check()
    from tailc.cli.own_files import own_files
    from tailc.cli.watching import watch_and_print

    if "-" in specs:
        raise click.UsageError("`--watch` needs files, not standard input")
    watched = {"specs": specs} if with_trace else {"files": specs}
    return watch_and_print(check, lambda: own_files(watched))


def _check(specs: tuple[str, ...], *, with_trace: bool, statistics: bool) -> CommandOutcome:
    """Check specs once."""
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
    if statistics:
        counts = _counts(findings)
        text = "\n".join(
            [*(f"{count:6,}  {ident}  {title}" for ident, title, count in counts), text]
        )
        result["codes"] = {ident: count for ident, _, count in counts}
    return CommandOutcome(
        exit_code, text, result, tuple(findings), cases=tuple(cases), is_answer=False
    )


def _counts(findings: list[Finding]) -> list[tuple[str, str, int]]:
    """Code, title and number of its findings, the most frequent first."""
    counts = Counter(finding.code for finding in findings)
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0].ident))
    return [(code.ident, code.title, count) for code, count in ordered]


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
    from tailc.specs.ignores import apply_ignores
    from tailc.specs.load import kind_of

    loaded = open_document(path)
    if kind_of(loaded.document) not in KINDS:
        warnings = _warnings_of_days(loaded, path, with_trace)
        return apply_ignores(loaded.document, warnings, is_complete=with_trace)
    opened = complete_spec(loaded, path)
    warnings = opened.warnings
    if with_trace:
        from tailc.pipeline.parts import warnings_of_measured

        warnings = (*warnings, *warnings_of_measured(opened))
    # A compile has more warnings.
    return apply_ignores(loaded.document, warnings, is_complete=False)


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
