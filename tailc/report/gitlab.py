"""A report of GitLab's code quality, for the widget of a merge request."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

from tailc.report.issues import Issue
from tailc.report.notes import Level
from tailc.units import printable

_SEVERITIES = {Level.NOTICE: "info", Level.WARNING: "minor", Level.ERROR: "major"}


def gitlab_document(command: str, issues: Sequence[Issue]) -> str:
    """A list of issues, each with a fingerprint that no other has.

    GitLab wants a file and a line of each: one without is of the first line, or of the command.
    """
    seen: Counter[str] = Counter()
    return json.dumps([_issue(command, each, seen) for each in issues], indent=2) + "\n"


def _issue(command: str, issue: Issue, seen: Counter[str]) -> dict[str, Any]:
    mark = issue.fingerprint
    number = seen[mark]
    seen[mark] += 1
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
