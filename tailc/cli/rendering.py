"""An outcome as a document of each format."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tailc.cli.outcome import Outcome
from tailc.errors import ExitCode

if TYPE_CHECKING:
    from tailc.report.issues import Issue
    from tailc.report.junit import JUnitCase


def rendered(form: str, command: str, outcome: Outcome, subject: str) -> str:
    """The whole document, ending its last line; `subject` is the file that it is about."""
    return _FORMS[form](command, outcome, subject)


def text_of(outcome: Outcome, pictures: str = "") -> str:
    """The text without findings, and below it the pictures, ending its last line."""
    ends = not outcome.text or outcome.text.endswith("\n")
    text = outcome.text if ends else f"{outcome.text}\n"
    return "\n".join(part for part in (text, pictures) if part)


def _text(_command: str, outcome: Outcome, _subject: str) -> str:
    from tailc.report.findings import as_text

    plain = "" if outcome.pictures is None else outcome.pictures.plain
    parts = (as_text(outcome.findings), text_of(outcome, plain))
    return "\n".join(part for part in parts if part)


def _json(command: str, outcome: Outcome, _subject: str) -> str:
    from tailc.report.document import json_document

    document = json_document(command, outcome.exit_code, outcome.findings, outcome.result)
    return f"{document}\n"


def _json_lines(command: str, outcome: Outcome, _subject: str) -> str:
    from tailc.report.json_lines import json_lines

    found = outcome.findings, outcome.notes, outcome.cases
    return json_lines(command, outcome.exit_code, *found, outcome.result)


def _junit(command: str, outcome: Outcome, subject: str) -> str:
    from tailc.report.junit import junit_document

    cases = outcome.cases or _whole_case(command, outcome, subject)
    return junit_document(command, cases, outcome.findings)


def _whole_case(command: str, outcome: Outcome, subject: str) -> tuple[JUnitCase, ...]:
    """The command itself, where it has no cases and no error that would be one."""
    from tailc.errors import Severity
    from tailc.report.junit import CaseFault, JUnitCase

    if any(finding.severity is Severity.ERROR for finding in outcome.findings):
        return ()
    said = next(iter(outcome.text.splitlines()), "")
    fault = None if outcome.exit_code is ExitCode.OK else CaseFault.FAILURE
    kind = outcome.exit_code.name.lower()
    return (JUnitCase(f"tailc {command}", subject or command, fault, kind, said),)


def _github(_command: str, outcome: Outcome, _subject: str) -> str:
    from tailc.report.github import as_github

    return as_github(outcome.findings, outcome.notes)


def _gitlab(command: str, outcome: Outcome, subject: str) -> str:
    from tailc.report.gitlab import gitlab_document

    return gitlab_document(command, _issues(outcome, subject))


def _sarif(_command: str, outcome: Outcome, subject: str) -> str:
    from tailc.report.sarif import sarif_document

    return sarif_document(outcome.exit_code, _issues(outcome, subject))


def _issues(outcome: Outcome, subject: str) -> tuple[Issue, ...]:
    from tailc.report.issues import issues

    return tuple(issues(outcome.findings, outcome.notes, subject))


def _markdown(_command: str, outcome: Outcome, _subject: str) -> str:
    from tailc.report.findings import as_markdown
    from tailc.report.table import fenced

    parts = (outcome.markdown or fenced(outcome.text), as_markdown(outcome.findings))
    return "\n".join(part for part in parts if part)


_FORMS: dict[str, Callable[[str, Outcome, str], str]] = {
    "text": _text,
    "json": _json,
    "jsonl": _json_lines,
    "junit": _junit,
    "github": _github,
    "gitlab": _gitlab,
    "sarif": _sarif,
    "markdown": _markdown,
}
