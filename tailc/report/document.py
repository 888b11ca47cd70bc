"""The JSON document that every command prints with --output-format json."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

from tailc.errors import ExitCode, Finding
from tailc.report import findings as render
from tailc.report.json_data import json_data
from tailc.specs.slo import Slo

VERSION = 1


def json_document(
    command: str, exit_code: ExitCode, findings: Sequence[Finding], result: dict[str, object]
) -> str:
    """Format the JSON document: command, exit code, findings, and the command's result."""
    document = {
        "format": "tailc-output",
        "version": VERSION,
        "command": command,
        "exit_code": int(exit_code),
        "findings": render.as_dicts(findings),
        "result": result,
    }
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
    # Paths that are not UTF-8 contain lone surrogates: streams refuse them, JSON can escape them.
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def slo_dict(slo: Slo) -> dict[str, Any]:
    """Convert an SLO to JSON data with every key present."""
    return {"metric": slo.metric.value} | json_data(slo)


def finite_or_null(value: float) -> float | None:
    """Convert a number to JSON data, which has no infinity; infinite values are null."""
    return value if math.isfinite(value) else None
