"""Format an outcome as a document of each output format."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tailc.cli.outcome import CommandOutcome
from tailc.errors import ExitCode

if TYPE_CHECKING:
    from tailc.report.issues import Issue
    from tailc.report.junit import JUnitCase


def render_document(form: str, command: str, outcome: CommandOutcome, subject: str) -> str:
    """Format the outcome of a command as a document, with a final line end.

    form: the format, such as `json`. subject: the file that the document is about.
    """
    return _FORMS[form](command, outcome, subject)


def outcome_text(outcome: CommandOutcome, pictures: str = "") -> str:
    """The text of an outcome without findings, then its pictures, with a final line end."""
    ends = not outcome.text or outcome.text.endswith("\n")
    text = outcome.text if ends else f"{outcome.text}\n"
    return "\n".join(part for part in (text, pictures) if part)


def _text(_command: str, outcome: CommandOutcome, _subject: str) -> str:
    from tailc.report.findings import as_text

    plain = "" if outcome.pictures is None else outcome.pictures.plain
    parts = (as_text(outcome.findings), outcome_text(outcome, plain))
    return "\n".join(part for part in parts if part)


def _concise(_command: str, outcome: CommandOutcome, _subject: str) -> str:
    from tailc.report.findings import as_lines

    return as_lines(outcome.findings) + outcome_text(outcome)


def _json(command: str, outcome: CommandOutcome, _subject: str) -> str:
    from tailc.report.document import json_document

    document = json_document(command, outcome.exit_code, outcome.findings, outcome.result)
    return f"{document}\n"


def _json_lines(command: str, outcome: CommandOutcome, _subject: str) -> str:
    from tailc.report.json_lines import json_lines

    findings_text = outcome.findings, outcome.notes, outcome.cases
    return json_lines(command, outcome.exit_code, *findings_text, outcome.result)


def _junit(command: str, outcome: CommandOutcome, subject: str) -> str:
    from tailc.report.junit import junit_document

    cases = outcome.cases or _whole_case(command, outcome, subject)
    return junit_document(command, cases, outcome.findings)


def _whole_case(command: str, outcome: CommandOutcome, subject: str) -> tuple[JUnitCase, ...]:
    """Test case for the command itself, if it has no cases and no error."""
    from tailc.errors import Severity
    from tailc.report.junit import CaseFault, JUnitCase

    if any(finding.severity is Severity.ERROR for finding in outcome.findings):
        return ()
    message = next(iter(outcome.text.splitlines()), "")
    fault = None if outcome.exit_code is ExitCode.OK else CaseFault.FAILURE
    kind = outcome.exit_code.name.lower()
    return (JUnitCase(f"tailc {command}", subject or command, fault, kind, message),)


def _github(_command: str, outcome: CommandOutcome, _subject: str) -> str:
    from tailc.report.github import as_github

    return as_github(outcome.findings, outcome.notes)


def _gitlab(command: str, outcome: CommandOutcome, subject: str) -> str:
    from tailc.report.gitlab import gitlab_document

    return gitlab_document(command, _issues(outcome, subject))


def _azure(_command: str, outcome: CommandOutcome, subject: str) -> str:
    from tailc.report.azure import as_azure

    return as_azure(_issues(outcome, subject))


def _rdjson(command: str, outcome: CommandOutcome, subject: str) -> str:
    from tailc.report.rdjson import rdjson_document

    return rdjson_document(command, _issues(outcome, subject))


def _sarif(_command: str, outcome: CommandOutcome, subject: str) -> str:
    from tailc.report.sarif import sarif_document

    return sarif_document(outcome.exit_code, _issues(outcome, subject))


def _issues(outcome: CommandOutcome, subject: str) -> tuple[Issue, ...]:
    from tailc.report.issues import issues

    return tuple(issues(outcome.findings, outcome.notes, subject))


def _render_markdown(_command: str, outcome: CommandOutcome, _subject: str) -> str:
    from tailc.report.findings import as_markdown
    from tailc.report.table import fence_text, limited_comment

    parts = (outcome.markdown or fence_text(outcome.text), as_markdown(outcome.findings))
    return limited_comment("\n".join(part for part in parts if part))


_FORMS: dict[str, Callable[[str, CommandOutcome, str], str]] = {
    "text": _text,
    "concise": _concise,
    "json": _json,
    "jsonl": _json_lines,
    "junit": _junit,
    "github": _github,
    "gitlab": _gitlab,
    "azure": _azure,
    "sarif": _sarif,
    "rdjson": _rdjson,
    "markdown": _render_markdown,
}
