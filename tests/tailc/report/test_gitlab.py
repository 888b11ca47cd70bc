"""What GitLab's documentation asks of a report of code quality."""

from __future__ import annotations

import json

from tailc.errors import Code, Finding, Place, Severity
from tailc.report.gitlab import gitlab_document
from tailc.report.issues import issues
from tailc.report.notes import Note, NoteLevel

UNKNOWN = Finding(Code.UNKNOWN_KEY, "no such key", Place("service.yaml", 14, 3), "correct it")
WARNING = Finding(Code.UNIT_SUSPECT, "half of 50% is off", severity=Severity.WARNING)
PASS = Note(NoteLevel.NOTICE, "SLO pass", "p99 <= 500 ms at 30/s")


def made(*findings, notes=(), subject="") -> list[dict]:
    return json.loads(gitlab_document("check", tuple(issues(findings, notes, subject))))


def test_an_issue_has_all_keys_that_gitlab_wants():
    (issue,) = made(UNKNOWN)
    mark = issue.pop("fingerprint")
    assert len(mark) == 64
    assert issue == {
        "description": "no such key; help: correct it",
        "check_name": "TC0102",
        "severity": "major",
        "location": {"path": "service.yaml", "lines": {"begin": 14}},
    }


def test_what_has_no_line_is_of_the_first_and_what_has_no_file_of_the_command():
    warning, passed = made(WARNING, notes=(PASS,), subject="toy.tailc")
    assert warning["location"] == passed["location"] == {"path": "toy.tailc", "lines": {"begin": 1}}
    assert [warning["severity"], passed["severity"]] == ["minor", "info"]
    (alone,) = made(WARNING)
    assert alone["location"]["path"] == "tailc check"


def test_issues_that_say_the_same_have_fingerprints_of_their_own():
    first, second, third = (issue["fingerprint"] for issue in made(UNKNOWN, UNKNOWN, UNKNOWN))
    assert second == f"{first}-1"
    assert third == f"{first}-2"
