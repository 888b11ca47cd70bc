"""Open signed test files with options, and compare the results with the expected ones."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from tailc_runtime.errors import NoSignatures, PolicyError
from tailc_runtime.opening import open_any
from tailc_runtime.terms import Asked

# What is found before anybody asks who signed.
_BEFORE = ("truncated", "hash-mismatch")


def wrongly_trusted(folder: Path, rows: list[dict[str, str]]) -> list[str]:
    """One line for each of `rows` about a file in `folder` with a wrong result.

    Without a library for signatures, no file may be trusted.
    """
    can_check = importlib.util.find_spec("cryptography") is not None
    wrong: list[str] = []
    for row in rows:
        wanted = row["error"]
        if row["keys"] and not can_check and wanted not in _BEFORE:
            wanted = NoSignatures.name
        got = _refusal(folder, row)
        if got != wanted:
            told = f"{folder / row['file']}: {row['about']}: is `{got}`, wanted `{wanted}`"
            wrong.append(told)
    return wrong


def _refusal(folder: Path, row: dict[str, str]) -> str:
    """Name of the refusal of the file; empty if it opens."""
    asked = Asked(trusted=[(folder / name).read_text() for name in row["keys"].split()])
    if row["now_s"]:
        asked["now_s"] = int(row["now_s"])
    if row["service"]:
        asked["service"] = row["service"]
    if row["held_generation"]:
        asked["held"] = int(row["held_generation"])
    try:
        open_any(folder / row["file"], **asked)
    except PolicyError as error:
        return error.name
    return ""
