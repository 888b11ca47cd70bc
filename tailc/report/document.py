"""The JSON document every command prints with --output-format json."""

from __future__ import annotations

import json
from collections.abc import Sequence

from tailc.errors import ExitCode, Finding
from tailc.report import findings as render

VERSION = 1


def json_document(
    command: str, exit_code: ExitCode, findings: Sequence[Finding], result: dict[str, object]
) -> str:
    """One object: who speaks, how it ended, what was found, and the command's own result."""
    document = {
        "format": "tailc-output",
        "version": VERSION,
        "command": command,
        "exit_code": int(exit_code),
        "findings": render.as_dicts(findings),
        "result": result,
    }
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
    # A path that is not UTF-8 holds half surrogates, which no stream takes but JSON can escape.
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
