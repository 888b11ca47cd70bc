"""Edit the text of a spec without changing the rest of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tailc.specs.tree import TextSpan


@dataclass(frozen=True)
class TextEdit:
    """A replacement of a piece of text within one line."""

    span: TextSpan
    text: str


def apply_edits(text: str, edits: Iterable[TextEdit]) -> str:
    """Apply all edits to a text; they must not overlap."""
    lines = text.split("\n")
    for edit in sorted(edits, key=lambda edit: edit.span.column, reverse=True):
        line, start = edit.span.line - 1, edit.span.column - 1
        lines[line] = lines[line][:start] + edit.text + lines[line][start + edit.span.width :]
    return "\n".join(lines)
