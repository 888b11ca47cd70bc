"""Changes to the text of a spec that leave all else as it is written."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tailc.specs.tree import Span


@dataclass(frozen=True)
class Edit:
    """Another text at a place in one line."""

    span: Span
    text: str


def edited(text: str, edits: Iterable[Edit]) -> str:
    """The text with all edits, no two of which overlap."""
    lines = text.split("\n")
    for edit in sorted(edits, key=lambda edit: edit.span.column, reverse=True):
        line, start = edit.span.line - 1, edit.span.column - 1
        lines[line] = lines[line][:start] + edit.text + lines[line][start + edit.span.width :]
    return "\n".join(lines)
