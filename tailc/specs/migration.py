"""Rewrite a spec of an older version for this version; comments and layout stay."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tailc.errors import Code, Finding, TailcError
from tailc.specs.document import parse_document
from tailc.specs.edits import TextEdit, apply_edits
from tailc.specs.older_keys import OlderKey, Path, older_keys_in
from tailc.specs.tree import Document, Mapping, MappingEntry, Scalar, TextSpan

_UNQUOTED = ("true", "false")


def migrated_text(document: Document, older: Sequence[OlderKey]) -> str:
    """Replace all older keys of a document, and return its text.

    Raises TailcError if a mapping has an older key and its new name.
    """
    for key in older_keys_in(document, older):
        if key.is_in(document):
            _refuse_both(document, key)
            document = _move(_displace(document, key), key)
    return "\n".join(document.lines)


def _refuse_both(document: Document, key: OlderKey) -> None:
    if key.words or key.displaced or document.existing(key.now) != key.now:
        return
    message = f"`{key.written_in(document)}` and `{key.now_in(document)}` are the same key"
    hint = "remove one of them"
    place = document.place(document.key_span(key.at))
    raise TailcError(Finding(Code.CONFLICT, message, place, hint))


def _displace(document: Document, key: OlderKey) -> Document:
    """Move the value at the new place of a key to its own new key."""
    if not key.displaced or document.existing(key.now) != key.now:
        return document
    span = _entry(document, key.now).key_span
    edit = TextEdit(span, _quoted_as(_text_at(document, span), key.displaced))
    return _parse_again(document, apply_edits("\n".join(document.lines), [edit]))


def _move(document: Document, key: OlderKey) -> Document:
    entry = _entry(document, key.at)
    *parent, last = key.now
    old = _text_at(document, entry.key_span)
    name, value = _quoted_as(old, str(last)), _value(document, entry, key)
    if tuple(parent) == key.at[:-1]:
        return _replace(document, entry, name, value)
    if document.node_at(tuple(parent)) is None:
        (outer,) = parent
        return _replace(document, entry, f"{_quoted_as(old, str(outer))}: {{{name}", f"{value}}}")
    return _put_below(document, entry, tuple(parent), f"{name}: {value}")


def _replace(document: Document, entry: MappingEntry, key: str, value: str) -> Document:
    edits = [TextEdit(entry.key_span, key), TextEdit(entry.value.span, value)]
    return _parse_again(document, apply_edits("\n".join(document.lines), edits))


def _value(document: Document, entry: MappingEntry, key: OlderKey) -> str:
    old = _text_at(document, entry.value.span)
    word = key.words.get(entry.value.text) if isinstance(entry.value, Scalar) else None
    return old if word is None else word if word in _UNQUOTED else _quoted_as(old, word)


def _quoted_as(old: str, word: str) -> str:
    """The new word in the quotes of the old word, if any."""
    quote = old[0] if old[0] in "'\"" else ""
    return f"{quote}{word}{quote}"


def _put_below(document: Document, entry: MappingEntry, parent: Path, text: str) -> Document:
    """The text with an entry of the root moved below another, with its comments."""
    taken = (_removed_from_flow if document.root.is_flow else _remove)(document.lines, entry)
    rest = _parse_again(document, "\n".join(taken.rest))
    outer = _entry(rest, parent)
    assert isinstance(outer.value, Mapping)
    put = _inserted_in_flow if outer.value.is_flow else _inserted_in_block
    return _parse_again(document, "\n".join(put(rest.lines, outer, outer.value, taken, text)))


@dataclass(frozen=True)
class _RemovedEntry:
    """Lines without an entry, and the comments above and behind it."""

    rest: Sequence[str]
    above: Sequence[str] = ()
    behind: str = ""


def _remove(lines: Sequence[str], entry: MappingEntry) -> _RemovedEntry:
    line, value = entry.key_span.line - 1, entry.value.span
    first = line
    while first > 0 and lines[first - 1].lstrip().startswith("#"):
        first -= 1
    rest = [*lines[:first], *lines[value.line :]]
    above = [text.strip() for text in lines[first:line]]
    return _RemovedEntry(
        rest, above, lines[value.line - 1][value.column - 1 + value.width :].rstrip()
    )


def _removed_from_flow(lines: Sequence[str], entry: MappingEntry) -> _RemovedEntry:
    """Remove an entry of a flow mapping, with the comma after it or else before it."""
    value, start = entry.value.span, entry.key_span
    before = "\n".join([*lines[: start.line - 1], lines[start.line - 1][: start.column - 1]])
    behind = lines[value.line - 1][value.column - 1 + value.width :]
    after = "\n".join([behind, *lines[value.line :]])
    last = re.sub(r"\A\s*,\s*", "", after)
    if last == after:
        before = re.sub(r"\s*,\s*\Z", "", before)
    return _RemovedEntry((before + last).split("\n"))


def _inserted_in_block(
    lines: Sequence[str], outer: MappingEntry, inner: Mapping, taken: _RemovedEntry, text: str
) -> Iterable[str]:
    """Insert an entry first in a block mapping, with the indentation of its keys."""
    first = next(iter(inner.entries.values()))
    indent = " " * (first.key_span.column - 1)
    put = [*(indent + above for above in taken.above), f"{indent}{text}{taken.behind}"]
    return [*lines[: outer.key_span.line], *put, *lines[outer.key_span.line :]]


def _inserted_in_flow(
    lines: Sequence[str], outer: MappingEntry, inner: Mapping, taken: _RemovedEntry, text: str
) -> Iterable[str]:
    """Insert an entry after the brace; its comments go above the mapping."""
    brace = inner.span
    is_followed = bool(lines[brace.line - 1][brace.column :].strip())
    comma = "," + " " * is_followed if inner.entries else ""
    edit = TextEdit(TextSpan(brace.line, brace.column + 1, 0), text + comma)
    changed = apply_edits("\n".join(lines), [edit]).split("\n")
    indent = " " * (outer.key_span.column - 1)
    said = [*taken.above, *([taken.behind.strip()] if taken.behind else [])]
    return [
        *changed[: outer.key_span.line - 1],
        *(indent + line for line in said),
        *changed[outer.key_span.line - 1 :],
    ]


def _entry(document: Document, path: Path) -> MappingEntry:
    *parent, name = path
    node = document.node_at(tuple(parent))
    assert isinstance(node, Mapping)
    return node.entries[str(name)]


def _text_at(document: Document, span: TextSpan) -> str:
    return document.lines[span.line - 1][span.column - 1 :][: span.width]


def _parse_again(document: Document, text: str) -> Document:
    return parse_document(text, document.source)
