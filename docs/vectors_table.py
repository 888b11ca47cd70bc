"""What each file of the vectors for other readers covers, by its own comments."""

from __future__ import annotations

from pathlib import Path

HEAD = ("file", "covers")
VECTORS = Path(__file__).resolve().parents[1] / "schemas" / "vectors" / "v1"


def vectors() -> list[tuple[str, ...]]:
    """A row for each file of questions: those of `schemas/vectors/v1` first, then by folder."""
    files = [*sorted(VECTORS.glob("*.csv")), *sorted(VECTORS.glob("*/*.csv"))]
    return [(f"`{file.relative_to(VECTORS).as_posix()}`", _covers(file)) for file in files]


def _covers(file: Path) -> str:
    """Its one sentence, or the names of its sequences."""
    told, header = _head(file)
    if not header.startswith("sequence,"):
        return told[0]
    names = (line.partition(":")[0] for line in told)
    return f"sequences {', '.join(f'`{name}`' for name in names)}"


def _head(file: Path) -> tuple[list[str], str]:
    """The comments of a file, and its header."""
    with file.open(encoding="utf-8") as lines:
        told = []
        for line in lines:
            if not line.startswith("# "):
                return told, line
            told.append(line.removeprefix("# ").rstrip())
    raise ValueError(f"{file} has no header")
