"""SARIF 2.1.0, for services that keep findings of analyses (OASIS, 2020)."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

import tailc
from tailc.errors import ExitCode, Place
from tailc.report.issues import Issue
from tailc.report.notes import Level

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {Level.NOTICE: "note", Level.WARNING: "warning", Level.ERROR: "error"}
_CODE = re.compile(r"TC[0-9]{4}")


def sarif_document(exit_code: ExitCode, issues: Sequence[Issue]) -> str:
    """One run: the rules that were broken, a result for each issue, and how the command ended."""
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
            # The verdict of a command that ran to its end is a result, whatever it is.
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
        from tailc.report.explanations import explanation, rule_named

        if known := rule_named(issue.rule):
            rule["fullDescription"] = {"text": explanation(known)}
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
    physical: dict[str, Any] = {"artifactLocation": {"uri": uri_of(place.source)}}
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


def uri_of(path: str) -> str:
    """The path as a relative reference; bytes that are no UTF-8 are escaped as they are."""
    return quote(path.encode("utf-8", "surrogateescape"), safe="/")
