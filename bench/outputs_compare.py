"""What differs between two recordings of `bench.outputs`."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator
from pathlib import Path

from bench.timing import show

# Stands for a missing value; it differs from every value.
ABSENT = "(absent)"


def compare(before: Path, after: Path) -> int:
    """Print which runs differ, and how; 1 where one does, else 0."""
    names = sorted({path.stem for folder in (before, after) for path in folder.glob("*.json")})
    found = {name: run_differences(before, after, name) for name in names}
    show(
        ["run", "outputs", "differences"],
        ([name, "different" if one else "same", str(len(one))] for name, one in found.items()),
    )
    different = {name: one for name, one in found.items() if one}
    for name, one in different.items():
        print("\n".join([f"{name}:", *one, ""]))
    print(f"{len(names)} runs, {len(different)} different")
    return int(bool(different) or not names)


def run_differences(before: Path, after: Path, name: str) -> list[str]:
    """What differs of the run `name`; that it is missing on one side is a difference."""
    paths = [folder / f"{name}.json" for folder in (before, after)]
    missing = [str(path) for path in paths if not path.exists()]
    if missing:
        return [f"missing: {path}" for path in missing]
    old, new = (json.loads(path.read_text(encoding="utf-8")) for path in paths)
    return list(differences(old, new))


def differences(old: object, new: object, pointer: str = "") -> Iterator[str]:
    """Each difference of two JSON values, by its JSON pointer (RFC 6901); 1 and 1.0 differ."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in (*old, *(key for key in new if key not in old)):
            below = f"{pointer}/{_escaped(key)}"
            yield from differences(old.get(key, ABSENT), new.get(key, ABSENT), below)
    elif isinstance(old, list) and isinstance(new, list):
        yield from differences(dict(_numbered(old)), dict(_numbered(new)), pointer)
    elif isinstance(old, str) and isinstance(new, str) and "\n" in old + new:
        yield from _text_difference(old, new, pointer)
    elif json.dumps(old) != json.dumps(new):
        yield f"{pointer}: {_excerpt(old)} -> {_excerpt(new)}"


def _text_difference(old: str, new: str, pointer: str) -> Iterator[str]:
    lines, others = old.splitlines(), new.splitlines()
    names = (f"before{pointer}", f"after{pointer}")
    found = difflib.unified_diff(lines, others, *names, lineterm="", n=1)
    text = "\n".join(found)
    if old != new:
        yield text or f"{pointer}: ends of lines differ"


def _numbered(values: list[object]) -> Iterator[tuple[str, object]]:
    return ((str(at), value) for at, value in enumerate(values))


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


def _excerpt(value: object) -> str:
    return value if value is ABSENT else json.dumps(value, ensure_ascii=False)
