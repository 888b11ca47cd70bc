"""Formats of other code hosts: Azure Pipelines, reviewdog, and a line for each finding."""

from __future__ import annotations

import json

import pytest

from tailc.errors import Code, Finding, Place, Severity
from tailc.report.azure import as_azure
from tailc.report.findings import as_lines
from tailc.report.github import as_github
from tailc.report.issues import issues
from tailc.report.notes import Note, NoteLevel
from tailc.report.rdjson import rdjson_document

UNKNOWN = Finding(Code.UNKNOWN_KEY, "no such key", Place("service.yaml", 14, 3), "correct it")
WARNING = Finding(Code.UNIT_SUSPECT, "half of 50% is off", severity=Severity.WARNING)
PASS = Note(NoteLevel.NOTICE, "SLO pass", "p99 <= 500 ms at 30/s")


def azure(*findings, notes=()) -> list[str]:
    return as_azure(tuple(issues(findings, notes, ""))).splitlines()


def test_azure_gets_the_place_and_the_code():
    assert azure(UNKNOWN) == [
        "##vso[task.logissue type=error;sourcepath=service.yaml;linenumber=14;columnnumber=3;"
        "code=TC0102;]no such key; help: correct it"
    ]


def test_azure_gets_no_place_that_is_unknown_and_escaped_text():
    (line,) = azure(WARNING)
    assert "sourcepath" not in line
    assert line.endswith(f"type=warning;code={Code.UNIT_SUSPECT.ident};]half of 50%AZP25 is off")


def test_a_name_of_a_file_does_not_end_the_command_of_azure():
    (line,) = azure(Finding(Code.UNKNOWN_KEY, "no", Place("a;b].yaml", 1)))
    assert "sourcepath=a%3Bb%5D.yaml;" in line


def test_a_notice_is_no_command_of_azure():
    note = Note(NoteLevel.NOTICE, "SLO pass", "of ##vso[task.setvariable variable=PATH]/tmp")
    assert azure(notes=(note,)) == ["of # #vso[task.setvariable variable=PATH]/tmp"]


def test_azure_gets_no_control_characters_of_a_name():
    (line,) = azure(Finding(Code.UNKNOWN_KEY, "no", Place("a\x1b[1m\udc80.yaml", 1)))
    assert line.isprintable()


@pytest.mark.parametrize("count", [50, 51, 3_000])
def test_a_run_has_at_most_50_annotations_and_the_errors_first(count):
    findings = [*[WARNING] * (count - 1), UNKNOWN]
    shown = azure(*findings)
    on_github = as_github(findings).splitlines()
    for lines, error in ((shown, "type=error"), (on_github, "::error ")):
        assert sum(error in line for line in lines) == 1
        assert len(lines) == min(count, 51)
    more = f"{count - 50:,} more findings are in the log of the command"
    assert shown[-1].endswith(more) is on_github[-1].endswith(more) is (count > 50)


def test_azure_has_no_notices():
    assert azure(notes=(PASS,)) == ["p99 <= 500 ms at 30/s"]


@pytest.mark.parametrize(
    ("finding", "location"),
    [
        (UNKNOWN, {"path": "service.yaml", "range": {"start": {"line": 14, "column": 3}}}),
        (
            Finding(Code.UNKNOWN_KEY, "no", Place("a.yaml", 2)),
            {"path": "a.yaml", "range": {"start": {"line": 2}}},
        ),
        (Finding(Code.UNKNOWN_KEY, "no", Place("a.yaml")), {"path": "a.yaml"}),
        (Finding(Code.UNKNOWN_KEY, "no"), {"path": "tailc check"}),
    ],
)
def test_reviewdog_gets_as_much_of_the_place_as_is_known(finding, location):
    document = json.loads(rdjson_document("check", tuple(issues((finding,), (), ""))))
    assert document["source"] == {"name": "tailc"}
    (diagnostic,) = document["diagnostics"]
    assert diagnostic["location"] == location
    assert diagnostic["severity"] == "ERROR"
    assert diagnostic["code"] == {"value": "TC0102"}


def test_reviewdog_gets_severities_of_its_own():
    document = json.loads(rdjson_document("verify", tuple(issues((WARNING,), (PASS,), ""))))
    assert [one["severity"] for one in document["diagnostics"]] == ["WARNING", "INFO"]


def test_a_finding_is_one_line_with_its_place_first():
    text = as_lines((UNKNOWN, WARNING, Finding(Code.UNKNOWN_KEY, "two\nlines\x1b[1m")))
    first, second, third = text.splitlines()
    assert first == "service.yaml:14:3: error[TC0102]: no such key; help: correct it"
    assert second.startswith(f"warning[{Code.UNIT_SUSPECT.ident}]: half")
    assert "\x1b" not in third
