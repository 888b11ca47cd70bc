"""SARIF 2.1.0 (OASIS, 2020), for services that store findings of static analyses."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

import tailc
from tailc.errors import ExitCode, Place
from tailc.report.issues import Issue
from tailc.report.notes import NoteLevel

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {NoteLevel.NOTICE: "note", NoteLevel.WARNING: "warning", NoteLevel.ERROR: "error"}
_CODE = re.compile(r"TC[0-9]{4}")


def sarif_document(exit_code: ExitCode, issues: Sequence[Issue]) -> str:
    """Format one SARIF run: rules, one result per issue, and the exit code of the command."""
    rules = sorted({issue.rule: issue for issue in issues}.items())
    numbers = {rule: number for number, (rule, _) in enumerate(rules)}
    run = {
        "tool": {
            "driver": {
                "name": "tailc",
                "semanticVersion": tailc.__version__,
                "rules": [_rule(issue) for _, issue in rules],
            }
        },
        "columnKind": "unicodeCodePoints",
        "invocations": [
            # A command that ran to its end was successful, whatever its verdict is.
            {"executionSuccessful": _ran(exit_code), "exitCode": int(exit_code)}
        ],
        "results": [_result(issue, numbers[issue.rule]) for issue in issues],
    }
    document = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(document, indent=2, allow_nan=False) + "\n"


def _ran(exit_code: ExitCode) -> bool:
    return exit_code < ExitCode.INTEGRITY


def _rule(issue: Issue) -> dict[str, Any]:
    rule: dict[str, Any] = {"id": issue.rule, "shortDescription": {"text": issue.about}}
    if _CODE.fullmatch(issue.rule):
        from tailc.report.explanations import explanation, find_rule

        if codes := find_rule(issue.rule):
            rule["fullDescription"] = {"text": explanation(codes)}
    return rule


def _result(issue: Issue, number: int) -> dict[str, Any]:
    return {
        "ruleId": issue.rule,
        "ruleIndex": number,
        "level": _LEVELS[issue.level],
        "message": {"text": issue.message},
        "locations": [] if issue.place is None else [_location(issue.place)],
        "partialFingerprints": {"tailcIssue/v1": issue.fingerprint},
    }


def _location(place: Place) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": {"uri": to_uri(place.source)}}
    if place.line is not None:
        physical["region"] = _region(place.line, place)
    location: dict[str, Any] = {"physicalLocation": physical}
    if place.field:
        location["logicalLocations"] = [{"fullyQualifiedName": place.field}]
    return location


def _region(line: int, place: Place) -> dict[str, Any]:
    region: dict[str, Any] = {"startLine": line}
    if place.column is not None:
        region["startColumn"] = place.column
        region["endColumn"] = place.column + max(1, place.width)
    if place.excerpt:
        region["snippet"] = {"text": place.excerpt}
    return region


def to_uri(path: str) -> str:
    """Convert a path to a relative URI; bytes that are not UTF-8 are percent-encoded."""
    return quote(path.encode("utf-8", "surrogateescape"), safe="/")
