"""Code quality reports of GitLab, for the widget of a merge request."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

from tailc.report.issues import Issue
from tailc.report.notes import NoteLevel
from tailc.units import printable

_SEVERITIES = {NoteLevel.NOTICE: "info", NoteLevel.WARNING: "minor", NoteLevel.ERROR: "major"}


def gitlab_document(command: str, issues: Sequence[Issue]) -> str:
    """Format issues as a GitLab code quality report; each fingerprint is unique.

    GitLab requires a file and a line: an issue without a line gets line 1, one without a file gets
    the name of the command.
    """
    fingerprints: Counter[str] = Counter()
    return json.dumps([_issue(command, each, fingerprints) for each in issues], indent=2) + "\n"


def _issue(command: str, issue: Issue, fingerprints: Counter[str]) -> dict[str, Any]:
    mark = issue.fingerprint
    number = fingerprints[mark]
    fingerprints[mark] += 1
    place = issue.place
    return {
        "description": issue.message,
        "check_name": issue.rule,
        "fingerprint": f"{mark}-{number}" if number else mark,
        "severity": _SEVERITIES[issue.level],
        "location": {
            "path": printable(place.source) if place else f"tailc {command}",
            "lines": {"begin": (place.line if place else None) or 1},
        },
    }
