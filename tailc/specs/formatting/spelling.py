"""Spell quantities in the standard way: `500ms` for `500 ms`, `"0500ms"` and `500.0ms`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from tailc.errors import TailcError
from tailc.specs.document import parse_document
from tailc.specs.edits import TextEdit, apply_edits
from tailc.specs.fields import SpecModel
from tailc.specs.load import LoadedSpec, check_document
from tailc.specs.tree import Mapping as Mapped
from tailc.specs.tree import Node, Scalar, Sequence

_QUANTITY = re.compile(r"\s*0*([0-9]*)(?:\.([0-9]*?)0*)?\s*([A-Za-z%/]+)\s*")
_WORDS = ("request", "requests")


def respell(text: str, loaded: LoadedSpec, models: Mapping[str, type[SpecModel]]) -> str:
    """Spell all quantities of a spec in the standard way, unless that changes the meaning.

    A name or the text of a cell that looks like a quantity is unchanged.
    """
    edits = list(_edits(loaded.document.root, loaded.document.lines))
    together = apply_edits(text, edits)
    if _means(together, loaded, models):
        return together
    return apply_edits(
        text, [edit for edit in edits if _means(apply_edits(text, [edit]), loaded, models)]
    )


def _means(text: str, loaded: LoadedSpec, models: Mapping[str, type[SpecModel]]) -> bool:
    try:
        return check_document(parse_document(text, ""), models).model == loaded.model
    except TailcError:
        return False


def _edits(node: Node, lines: tuple[str, ...]) -> Iterator[TextEdit]:
    match node:
        case Scalar():
            wanted = spell_quantity(node.value) if isinstance(node.value, str) else None
            written = lines[node.span.line - 1][node.span.column - 1 :][: node.span.width]
            # An alias is written elsewhere, and a text over several lines is no quantity.
            is_here = written.strip("'\"") == node.text
            if wanted is not None and is_here and written != wanted:
                yield TextEdit(node.span, wanted)
        case Sequence():
            for item in node.items:
                yield from _edits(item, lines)
        case Mapped():
            for entry in node.entries.values():
                yield from _edits(entry.value, lines)


def spell_quantity(text: str) -> str | None:
    """Spell a quantity in the standard way; None if the text is not a quantity."""
    match = _QUANTITY.fullmatch(text)
    if match is None or not any(char.isdigit() for char in text):
        return None
    whole, part, unit = match[1] or "0", match[2] or "", match[3]
    number = f"{whole}.{part}" if part else whole
    if unit in _WORDS:
        return f"{number} {_WORDS[number != '1']}"
    return number + unit
