"""A YAML text as a tree in which every key and value knows its line and column.

YAML 1.2 with its core schema: `yes` is text, `012` is twelve. Built from ruamel.yaml's events, so
that limits hold before aliases are walked: a few hundred bytes of aliases can stand for billions
of nodes. What is wrong with the text becomes located findings; ruamel's exceptions end here.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)
from ruamel.yaml.reader import ReaderError

from tailc.errors import Code, Finding, Place, TailcError
from tailc.specs.syntax import explain
from tailc.units import shorten

MAX_BYTES = 1 << 20
MAX_NODES = 100_000
MAX_DEPTH = 64
_MAX_DIGITS = 40

STDIN = "-"


@dataclass(frozen=True, slots=True)
class Span:
    """Where something is written: line and column from 1, `width` characters on that line."""

    line: int
    column: int
    width: int


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
    """A key and its value in a mapping."""

    key: str
    key_span: Span
    value: Node


@dataclass(frozen=True, slots=True)
class Mapping:
    """Entries in the order written, keys unique; `is_flow` if written in braces."""

    entries: tuple[Entry, ...]
    span: Span
    is_flow: bool

    def get(self, key: str) -> Entry | None:
        """The entry of that key, if it is there."""
        return next((entry for entry in self.entries if entry.key == key), None)


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
        return _place(self.source, self.lines, span)

    def span_of(self, path: tuple[Step, ...]) -> Span:
        """Where the value at `path` is written: itself if on one line, else the key it has."""
        spans = [span for _, span in self._walk(path)]
        entries = self.root.entries
        return spans[-1] if spans else entries[0].key_span if entries else self.root.span

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


def read_document(path: str) -> Document:
    """The document in the file `path`, or on standard input for `-`.

    Raises TailcError: the file cannot be read, is not UTF-8 or YAML 1.2, holds no mapping or more
    than one document, repeats a key, or is larger than the limits above.
    """
    source = "<stdin>" if path == STDIN else path
    return parse_document(_decode(_read_bytes(path), source), source)


def parse_document(text: str, source: str) -> Document:
    """The document in `text`; raises as `read_document` does."""
    lines = tuple(re.split(r"\r\n|\n|\r", text))
    root = _Composer(source, lines, text).compose()
    return Document(source, lines, root)


def plain(node: Node) -> Any:
    """The tree as dicts, lists and scalars, aliases expanded (the limits bound the result)."""
    match node:
        case Scalar():
            return node.value
        case Sequence():
            return [plain(item) for item in node.items]
        case Mapping():
            return {entry.key: plain(entry.value) for entry in node.entries}


def _best(value: Node, key_span: Span) -> Span:
    if isinstance(value, Scalar):
        return value.span if value.text else key_span
    return value.span if value.is_flow else key_span


def _place(source: str, lines: tuple[str, ...], span: Span) -> Place:
    excerpt = lines[span.line - 1] if span.line <= len(lines) else ""
    width = max(1, min(span.width, len(excerpt) - span.column + 1))
    return Place(source, span.line, span.column, excerpt=excerpt, width=width)


def _read_bytes(path: str) -> bytes:
    try:
        if path == STDIN:
            content = sys.stdin.buffer.read(MAX_BYTES + 1)
        else:
            with Path(path).open("rb") as file:
                content = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as fault:
        reason = fault.strerror if isinstance(fault, OSError) else None
        message = f"`{shorten(path, 200)}` cannot be read: {(reason or 'not a path').lower()}"
        hint = "give the path of a spec file, or `-` for standard input"
        raise TailcError(Finding(Code.CANNOT_READ, message, help=hint)) from None
    if len(content) > MAX_BYTES:
        source = Place("<stdin>" if path == STDIN else path)
        message = f"the spec is larger than {MAX_BYTES:,} bytes"
        hint = "measurements belong in a trace file that the spec names"
        raise TailcError(Finding(Code.TOO_LARGE, message, source, hint))
    return content


def _decode(content: bytes, source: str) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        before = content[: fault.start].decode("utf-8-sig")
        lines = re.split(r"\r\n|\n|\r", before)
        place = Place(source, len(lines), len(lines[-1]) + 1, excerpt=None)
        message = f"byte `0x{content[fault.start]:02x}` is not UTF-8"
        hint = "save the file as UTF-8"
        raise TailcError(Finding(Code.SYNTAX, message, place, hint)) from None


@dataclass
class _Anchored:
    """A node that aliases may repeat: how many nodes it stands for, and how deep it is."""

    node: Node
    size: int
    height: int


@dataclass
class _Composer:
    """Builds the tree from events, counting nodes as if every alias were written out."""

    source: str
    lines: tuple[str, ...]
    text: str
    findings: list[Finding] = field(default_factory=list)
    anchors: dict[str, _Anchored] = field(default_factory=dict)
    open_anchors: set[str] = field(default_factory=set)
    nodes: int = 0

    def compose(self) -> Mapping:
        events = self._events()
        next(events)  # the start of the stream
        start = next(events)
        if isinstance(start, StreamEndEvent):
            self._refuse(
                Code.SYNTAX, "the spec is empty", None, "begin with `apiVersion: tailc/v1`"
            )
        self._check_version(start)
        root_event = next(events)
        root, _ = self._node(root_event, events, depth=1)
        next(events)  # the end of the document
        rest = next(events)
        if isinstance(rest, DocumentStartEvent):
            hint = "one spec a file: put the second in a file of its own"
            self._refuse(Code.SYNTAX, "a second document begins here", _span(rest), hint)
        if not isinstance(root, Mapping):
            hint = "begin with `apiVersion: tailc/v1`"
            message = "the spec must be a mapping of keys to values"
            self._refuse(Code.BAD_VALUE, message, root.span, hint)
        assert isinstance(root, Mapping)
        if self.findings:
            raise TailcError(self.findings)
        return root

    def _events(self) -> Iterator[Any]:
        """The events of ruamel.yaml, its exceptions turned into findings."""
        try:
            yield from YAML(typ="safe", pure=True).parse(self.text)
        except MarkedYAMLError as fault:
            mark = fault.problem_mark or fault.context_mark
            problem = explain(str(fault.problem or fault.context))
            self._refuse(
                Code.SYNTAX, problem.message, Span(mark.line + 1, mark.column + 1, 1), problem.help
            )
        except ReaderError as fault:
            before = re.split(r"\r\n|\n|\r", self.text[: fault.position])
            message = f"character `U+{ord(self.text[fault.position]):04X}` is not allowed in YAML"
            span = Span(len(before), len(before[-1]) + 1, 1)
            self._refuse(Code.SYNTAX, message, span, "remove it")
        except YAMLError as fault:
            self._refuse(Code.SYNTAX, f"not YAML: {fault}", None, None)

    def _refuse(self, code: Code, message: str, span: Span | None, hint: str | None) -> None:
        self._note(code, message, span, hint)
        raise TailcError(self.findings)

    def _note(self, code: Code, message: str, span: Span | None, hint: str | None) -> None:
        where = _place(self.source, self.lines, span) if span else Place(self.source)
        self.findings.append(Finding(code, message, where, hint))

    def _check_version(self, start: Any) -> None:
        if start.version not in (None, (1, 2)):
            written = ".".join(str(part) for part in start.version)
            hint = "remove the `%YAML` line; in YAML 1.2 `yes` and `no` are text"
            self._refuse(Code.SYNTAX, f"YAML {written} is not read, only 1.2", _span(start), hint)

    def _node(self, event: Any, events: Iterator[Any], depth: int) -> tuple[Node, _Anchored]:
        """The node that begins with `event`, and its size and height with aliases written out."""
        if depth > MAX_DEPTH:
            self._too_large(event, f"nested deeper than {MAX_DEPTH} levels")
        if isinstance(event, AliasEvent):
            anchored = self._aliased(event, depth)
            return anchored.node, anchored
        self._count(event, 1)
        before = self.nodes - 1
        if event.anchor is not None:
            self.open_anchors.add(event.anchor)
        node, height = self._fresh(event, events, depth)
        anchored = _Anchored(node, self.nodes - before, height)
        if event.anchor is not None:
            self.open_anchors.discard(event.anchor)
            self.anchors[event.anchor] = anchored
        return node, anchored

    def _fresh(self, event: Any, events: Iterator[Any], depth: int) -> tuple[Node, int]:
        if isinstance(event, ScalarEvent):
            return self._scalar(event), 1
        self._check_tag(event)
        if isinstance(event, SequenceStartEvent):
            return self._sequence(event, events, depth)
        assert isinstance(event, MappingStartEvent)
        return self._mapping(event, events, depth)

    def _aliased(self, event: Any, depth: int) -> _Anchored:
        name = event.anchor
        if name in self.open_anchors:
            self._refuse(
                Code.SYNTAX, f"`*{name}` stands inside `&{name}` itself", _span(event), None
            )
        if name not in self.anchors:
            known = ", ".join(f"`&{anchor}`" for anchor in self.anchors)
            hint = f"anchors above it: {known}" if known else "an anchor `&name` must come first"
            self._refuse(Code.SYNTAX, f"`*{name}` refers to no anchor", _span(event), hint)
        anchored = self.anchors[name]
        self._count(event, anchored.size)
        if depth - 1 + anchored.height > MAX_DEPTH:
            self._too_large(event, f"nested deeper than {MAX_DEPTH} levels")
        return anchored

    def _count(self, event: Any, nodes: int) -> None:
        self.nodes += nodes
        if self.nodes > MAX_NODES:
            self._too_large(event, f"more than {MAX_NODES:,} values once aliases are written out")

    def _too_large(self, event: Any, what: str) -> None:
        hint = "measurements belong in a trace file that the spec names"
        self._refuse(Code.TOO_LARGE, f"the spec is too large: {what}", _span(event), hint)

    def _sequence(self, event: Any, events: Iterator[Any], depth: int) -> tuple[Node, int]:
        items: list[Node] = []
        height = 0
        while not isinstance(following := next(events), SequenceEndEvent):
            item, anchored = self._node(following, events, depth + 1)
            items.append(item)
            height = max(height, anchored.height)
        span = _span(event, following)
        return Sequence(tuple(items), span, bool(event.flow_style)), height + 1

    def _mapping(self, event: Any, events: Iterator[Any], depth: int) -> tuple[Node, int]:
        entries: dict[str, Entry] = {}
        height = 0
        while not isinstance(following := next(events), MappingEndEvent):
            key, _ = self._node(following, events, depth + 1)
            value, anchored = self._node(next(events), events, depth + 1)
            height = max(height, anchored.height)
            if self._is_key(key, entries):
                assert isinstance(key, Scalar)
                entries[key.text] = Entry(key.text, key.span, value)
        span = _span(event, following)
        return Mapping(tuple(entries.values()), span, bool(event.flow_style)), height + 1

    def _is_key(self, key: Node, entries: dict[str, Entry]) -> bool:
        if not isinstance(key, Scalar):
            self._note(Code.SYNTAX, "a key must be a word, not a list or mapping", key.span, None)
        elif key.text == "<<":
            hint = "write the keys out, or give the whole value as an alias"
            self._note(Code.SYNTAX, "merge keys are not part of YAML 1.2", key.span, hint)
        elif key.text in entries:
            first = entries[key.text].key_span.line
            message = f"key `{shorten(key.text)}` stands twice in one mapping"
            self._note(Code.DUPLICATE_KEY, message, key.span, f"the first is on line {first}")
        else:
            return True
        return False

    def _scalar(self, event: Any) -> Scalar:
        span = _span(event)
        unsafe = next((char for char in event.value if _is_control(char)), None)
        if unsafe is not None:
            message = f"character `U+{ord(unsafe):04X}` is not allowed in a value"
            self._note(Code.SYNTAX, message, span, "remove it")
            return Scalar("", "", span)
        is_text = event.style is not None or self._check_tag(event) is not None
        value = event.value if is_text else self._resolved(event.value, span)
        return Scalar(value, event.value, span)

    def _check_tag(self, event: Any) -> str | None:
        """The tag if it is one that makes text; any other is a finding."""
        tag = str(event.tag) if event.tag is not None else None
        if tag in (None, "!", "tag:yaml.org,2002:str"):
            return tag
        message = f"tag `{shorten(tag)}` is not read here"
        self._note(Code.SYNTAX, message, _span(event), "remove it")
        return tag

    def _resolved(self, text: str, span: Span) -> str | int | float | bool | None:
        if len(text) > _MAX_DIGITS and _NUMBER.fullmatch(text):
            message = f"number `{shorten(text)}` has more than {_MAX_DIGITS} characters"
            self._note(Code.BAD_VALUE, message, span, "put text in quotes")
            return None
        return resolve(text)


def resolve(text: str) -> str | int | float | bool | None:
    """The value of a plain scalar by the core schema (YAML 1.2.2, section 10.3.2)."""
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        base = {"0o": 8, "0x": 16}.get(text[:2], 10)
        return int(text, base) if base == 10 else int(text[2:], base)
    return float(text) if _NUMBER.fullmatch(text) else _SPECIAL.get(text.lower(), text)


_INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_NUMBER = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_SPECIAL = {
    ".nan": float("nan"),
    **dict.fromkeys((".inf", "+.inf"), float("inf")),
    "-.inf": float("-inf"),
}


def _is_control(char: str) -> bool:
    return (char < " " and char not in "\n\t") or char == "\x7f" or "\ud800" <= char <= "\udfff"


def _span(event: Any, end: Any = None) -> Span:
    """Where an event is, to the end of it (or of `end`) or of its first line."""
    start, stop = event.start_mark, (end or event).end_mark
    width = stop.column - start.column if stop.line == start.line else 1 << 20
    return Span(start.line + 1, start.column + 1, max(width, 1))
