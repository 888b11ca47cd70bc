"""A spec as a tree of nodes with line and column."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tailc.errors import Place


@dataclass(frozen=True, slots=True)
class TextOrigin:
    """The name and lines of a text, other than the spec file, from which a value comes.

    For example, a command-line option.
    """

    source: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TextSpan:
    """Place of a text: line and column from 1, and `width` characters on this line.

    origin: the text that contains it, if it is not the document.
    """

    line: int
    column: int
    width: int
    origin: TextOrigin | None = None


@dataclass(frozen=True, slots=True)
class Scalar:
    """A value of a spec that is not a list or mapping, and its text."""

    value: str | int | float | bool | None
    text: str
    span: TextSpan


@dataclass(frozen=True, slots=True)
class Sequence:
    """A list of nodes; `is_flow` if written in brackets."""

    items: tuple[Node, ...]
    span: TextSpan
    is_flow: bool


@dataclass(frozen=True, slots=True)
class MappingEntry:
    """Place of a key in a mapping, and its value."""

    key_span: TextSpan
    value: Node


@dataclass(frozen=True, slots=True)
class Mapping:
    """Entries by key, in written order; `is_flow` if written in braces."""

    entries: dict[str, MappingEntry]
    span: TextSpan
    is_flow: bool

    def get(self, key: str) -> MappingEntry | None:
        """Look up a key in the mapping: the place of the key and its value; None if missing."""
        return self.entries.get(key)


Node = Scalar | Sequence | Mapping
Step = str | int


@dataclass(frozen=True)
class Document:
    """A parsed spec: its tree and its lines."""

    source: str
    lines: tuple[str, ...]
    root: Mapping

    def place(self, span: TextSpan) -> Place:
        """The place of a span, with its line as the excerpt, for findings."""
        written = span.origin or self
        return place_of(written.source, written.lines, span)

    def span_of(self, path: tuple[Step, ...]) -> TextSpan:
        """Place of the value at `path`: the value if on one line, else its key."""
        spans = [span for _, span in self._walk(path)]
        first = next(iter(self.root.entries.values()), None)
        return spans[-1] if spans else first.key_span if first else self.root.span

    def key_span(self, path: tuple[Step, ...]) -> TextSpan:
        """Place of the key of the value at `path`, or of the value if it has no key."""
        *_, last = path
        parent = self.node_at(path[:-1])
        entry = parent.get(last) if isinstance(parent, Mapping) and isinstance(last, str) else None
        return entry.key_span if entry else self.span_of(path)

    def node_at(self, path: tuple[Step, ...]) -> Node | None:
        """The node of the spec's tree at `path`; None if a key is missing."""
        node: Node = self.root
        for step in path:
            following = _child(node, step)
            if following is None and isinstance(node, Mapping):
                return None
            node = following[0] if following else node
        return node

    def existing(self, path: tuple[Step, ...]) -> tuple[Step, ...]:
        """The first steps of `path` that exist in the document."""
        return tuple(step for step, _ in self._walk(path))

    def _walk(self, path: tuple[Step, ...]) -> Iterator[tuple[Step, TextSpan]]:
        """Each step of `path` with the place of its value.

        Steps that do not exist are skipped, so that the path of an expanded form
        (`held_out.fraction`) finds the value of its short form (`held_out: 20%`).
        """
        node: Node = self.root
        for step in path:
            following = _child(node, step)
            if following is not None:
                node, span = following
                yield step, span


def _child(node: Node, step: Step) -> tuple[Node, TextSpan] | None:
    """The node at `step` below `node`, and its place."""
    if isinstance(node, Mapping) and isinstance(step, str):
        entry = node.get(step)
        return (entry.value, _best(entry.value, entry.key_span)) if entry else None
    if isinstance(node, Sequence) and isinstance(step, int) and step < len(node.items):
        return node.items[step], node.items[step].span
    return None


def place_of(source: str, lines: tuple[str, ...], span: TextSpan) -> Place:
    """The place of a span, with its line as the excerpt, for findings.

    source, lines: name and lines of the document.
    """
    excerpt = lines[span.line - 1] if span.line <= len(lines) else ""
    width = max(1, min(span.width, len(excerpt) - span.column + 1))
    return Place(source, span.line, span.column, excerpt=excerpt, width=width)


def plain(node: Node) -> Any:
    """Convert the tree of a spec to dicts, lists and scalars; aliases are expanded.

    The expanded size is limited.
    """
    match node:
        case Scalar():
            return node.value
        case Sequence():
            return [plain(item) for item in node.items]
        case Mapping():
            return {key: plain(entry.value) for key, entry in node.entries.items()}


def _best(value: Node, key_span: TextSpan) -> TextSpan:
    if isinstance(value, Scalar):
        return key_span if value.value is None and not value.text else value.span
    return value.span if value.is_flow else key_span


def split_lines(text: str) -> tuple[str, ...]:
    """Split a text into lines, as YAML 1.2 defines them."""
    return tuple(re.split(r"\r\n|\n|\r", text))
