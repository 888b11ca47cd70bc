"""Issues as rdjson, the input of reviewdog, which comments on changes of many code hosts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from tailc.errors import Place
from tailc.report.issues import Issue
from tailc.report.notes import NoteLevel
from tailc.units import printable

_SEVERITIES = {NoteLevel.NOTICE: "INFO", NoteLevel.WARNING: "WARNING", NoteLevel.ERROR: "ERROR"}


def rdjson_document(command: str, issues: Sequence[Issue]) -> str:
    """Format issues as one DiagnosticResult; an issue without a file gets the command's name."""
    diagnostics = [_diagnostic(command, issue) for issue in issues]
    document = {"source": {"name": "tailc"}, "diagnostics": diagnostics}
    return json.dumps(document, indent=2) + "\n"


def _diagnostic(command: str, issue: Issue) -> dict[str, Any]:
    return {
        "message": issue.message,
        "location": _location(issue.place) if issue.place else {"path": f"tailc {command}"},
        "severity": _SEVERITIES[issue.level],
        "code": {"value": issue.rule},
    }


def _location(place: Place) -> dict[str, Any]:
    path = {"path": printable(place.source)}
    if not place.line:
        return path
    start = {"line": place.line} | ({"column": place.column} if place.column else {})
    return {**path, "range": {"start": start}}
