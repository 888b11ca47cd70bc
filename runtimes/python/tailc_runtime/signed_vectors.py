"""Signed files, what is asked of each, and what comes of it."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from tailc_runtime.errors import NoSignatures, PolicyError
from tailc_runtime.opening import open_any
from tailc_runtime.terms import Asked

# What is found before anybody asks who signed.
_BEFORE = ("truncated", "hash-mismatch")


def wrongly_trusted(folder: Path, rows: list[dict[str, str]]) -> list[str]:
    """One line for each of `rows` about a file in `folder` that comes out otherwise.

    Where nothing is installed that checks a signature, none may be believed.
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
    """The word that the file is refused by; empty: it opens."""
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
