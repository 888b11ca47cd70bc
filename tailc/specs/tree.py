"""A spec as a tree in which every key and value knows its line and column."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tailc.errors import Place


@dataclass(frozen=True, slots=True)
class Origin:
    """A text that is not the spec's own file: its name, and its lines."""

    source: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Span:
    """Where something is written: line and column from 1, `width` characters on that line.

    origin: where that is not in the document's own lines.
    """

    line: int
    column: int
    width: int
    origin: Origin | None = None


@dataclass(frozen=True, slots=True)
class Scalar:
    """A value and the text it was written as."""

    value: str | int | float | bool | None
    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Sequence:
    """A list of nodes; `is_flow` if written in brackets."""

    items: tuple[Node, ...]
    span: Span
    is_flow: bool


@dataclass(frozen=True, slots=True)
class Entry:
    """Where a key of a mapping is, and its value."""

    key_span: Span
    value: Node


@dataclass(frozen=True, slots=True)
class Mapping:
    """Entries by key, in the order written; `is_flow` if written in braces."""

    entries: dict[str, Entry]
    span: Span
    is_flow: bool

    def get(self, key: str) -> Entry | None:
        """The entry of that key, if it is there."""
        return self.entries.get(key)


Node = Scalar | Sequence | Mapping
Step = str | int


@dataclass(frozen=True)
class Document:
    """A parsed spec: its tree and the lines it was written in."""

    source: str
    lines: tuple[str, ...]
    root: Mapping

    def place(self, span: Span) -> Place:
        """The place of a span, with its line as the excerpt."""
        written = span.origin or self
        return place_of(written.source, written.lines, span)

    def span_of(self, path: tuple[Step, ...]) -> Span:
        """Where the value at `path` is written: itself if on one line, else the key it has."""
        spans = [span for _, span in self._walk(path)]
        first = next(iter(self.root.entries.values()), None)
        return spans[-1] if spans else first.key_span if first else self.root.span

    def key_span(self, path: tuple[Step, ...]) -> Span:
        """Where the key of the value at `path` is written, or the value if it has no key."""
        *_, last = path
        parent = self.node_at(path[:-1])
        entry = parent.get(last) if isinstance(parent, Mapping) and isinstance(last, str) else None
        return entry.key_span if entry else self.span_of(path)

    def node_at(self, path: tuple[Step, ...]) -> Node | None:
        """The node at `path`; None where a mapping lacks the key."""
        node: Node = self.root
        for step in path:
            following = _child(node, step)
            if following is None and isinstance(node, Mapping):
                return None
            node = following[0] if following else node
        return node

    def existing(self, path: tuple[Step, ...]) -> tuple[Step, ...]:
        """The steps of `path` that the tree has."""
        return tuple(step for step, _ in self._walk(path))

    def _walk(self, path: tuple[Step, ...]) -> Iterator[tuple[Step, Span]]:
        """Each step of `path` with the span of what it leads to.

        A step that the tree does not have is passed over, so that the path of a written-out form
        (`held_out.fraction`) finds the value of its short form (`held_out: 20%`).
        """
        node: Node = self.root
        for step in path:
            following = _child(node, step)
            if following is not None:
                node, span = following
                yield step, span


def _child(node: Node, step: Step) -> tuple[Node, Span] | None:
    """What `step` leads to from `node`, and where it is written."""
    if isinstance(node, Mapping) and isinstance(step, str):
        entry = node.get(step)
        return (entry.value, _best(entry.value, entry.key_span)) if entry else None
    if isinstance(node, Sequence) and isinstance(step, int) and step < len(node.items):
        return node.items[step], node.items[step].span
    return None


def place_of(source: str, lines: tuple[str, ...], span: Span) -> Place:
    """The place of a span, with its line as the excerpt."""
    excerpt = lines[span.line - 1] if span.line <= len(lines) else ""
    width = max(1, min(span.width, len(excerpt) - span.column + 1))
    return Place(source, span.line, span.column, excerpt=excerpt, width=width)


def plain(node: Node) -> Any:
    """The tree as dicts, lists and scalars, aliases expanded (the limits bound the result)."""
    match node:
        case Scalar():
            return node.value
        case Sequence():
            return [plain(item) for item in node.items]
        case Mapping():
            return {key: plain(entry.value) for key, entry in node.entries.items()}


def _best(value: Node, key_span: Span) -> Span:
    if isinstance(value, Scalar):
        return key_span if value.value is None and not value.text else value.span
    return value.span if value.is_flow else key_span


def split_lines(text: str) -> tuple[str, ...]:
    """The lines of a text, as YAML 1.2 counts them."""
    return tuple(re.split(r"\r\n|\n|\r", text))
