"""Read a trace once and report all of its defects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tailc.errors import Code, ExitCode, Finding, Severity, TailcError
from tailc.lint.measurements import views_of_file
from tailc.lint.registry import find_checks
from tailc.lint.roles import TraceOptions
from tailc.lint.view_findings import view_findings
from tailc.traces.places import locate_findings
from tailc.traces.source import open_source

_OF_REPLAYS = (Code.ARRIVAL_GAP, Code.FEW_ARRIVALS)
_ORDER = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.NOTE: 2}


@dataclass(frozen=True)
class LintResult:
    """The result of `tailc lint-trace` for one trace.

    looked_at: the checked parts, in words. findings: worst first.
    """

    name: str
    format: str
    rows: int | None
    looked_at: tuple[str, ...]
    findings: tuple[Finding, ...]

    @property
    def exit_code(self) -> ExitCode:
        """Exit code of the first error; OK if there is none."""
        errors = (one for one in self.findings if one.severity is Severity.ERROR)
        return next((one.code.exit_code for one in errors), ExitCode.OK)


def lint(path: str, options: TraceOptions, ignored: Sequence[str] = ()) -> LintResult:
    """Find the defects of a trace, `-` for standard input.

    ignored: codes or names of defects that are not reported. An unreadable file is a finding.
    """
    try:
        with open_source(path) as source:
            seen = views_of_file(source, options)
            from_views = map(_with_help, map(_soften, seen.findings))
            findings = [*from_views, *view_findings(find_checks(), seen.views, source.name)]
            kept = [one for one in findings if not _is_ignored(one, ignored)]
            kept.sort(key=lambda one: (_ORDER[one.severity], one.code.ident))
            placed = locate_findings(kept, source)
    except TailcError as error:
        return LintResult(path, "unreadable", None, (), error.findings)
    return LintResult(source.name, seen.format, seen.rows, seen.looked_at, placed)


def _soften(finding: Finding) -> Finding:
    """Make a warning of errors that concern only the replay of recorded arrivals."""
    is_soft = finding.code in _OF_REPLAYS
    return replace(finding, severity=Severity.WARNING) if is_soft else finding


def _with_help(finding: Finding) -> Finding:
    """Add a reference to `tailc explain` to a finding without advice."""
    return replace(
        finding, help=finding.help or f"`tailc explain {finding.code.ident}` describes it"
    )


def _is_ignored(finding: Finding, ignored: Sequence[str]) -> bool:
    names = {finding.code.ident.lower(), getattr(finding.code, "name", "").lower()}
    return not names.isdisjoint(word.lower() for word in ignored)
