"""The content of the JSON document as JSON lines, one object per finding, and the result last."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from tailc.errors import ExitCode, Finding
from tailc.report import findings as render
from tailc.report.document import VERSION
from tailc.report.junit import JUnitCase
from tailc.report.notes import Note


def json_lines(
    command: str,
    exit_code: ExitCode,
    findings: Sequence[Finding],
    notes: Sequence[Note],
    cases: Sequence[JUnitCase],
    result: dict[str, object],
) -> str:
    """Format findings, notes, cases and then the result as JSON, one object per line.

    `type` is the first member of each object.
    """
    lines = [
        *_findings(findings),
        *_notes(notes),
        *_cases(cases),
        {
            "type": "result",
            "format": "tailc-output-line",
            "version": VERSION,
            "command": command,
            "exit_code": int(exit_code),
            "result": result,
        },
    ]
    text = "".join(f"{json.dumps(line, ensure_ascii=False, allow_nan=False)}\n" for line in lines)
    # As in the document: lone surrogates of paths that are not UTF-8 are escaped.
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _findings(findings: Sequence[Finding]) -> Iterator[dict[str, object]]:
    for finding in render.as_dicts(findings):
        yield {"type": "finding", **finding}


def _notes(notes: Sequence[Note]) -> Iterator[dict[str, object]]:
    for note in notes:
        yield {
            "type": "note",
            "level": note.level.value,
            "title": note.title,
            "message": note.message,
        }


def _cases(cases: Sequence[JUnitCase]) -> Iterator[dict[str, object]]:
    for case in cases:
        yield {
            "type": "case",
            "group": case.group,
            "name": case.name,
            "fault": case.fault.value if case.fault else None,
            "kind": case.kind,
            "message": case.message,
        }
