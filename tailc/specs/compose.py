"""Build a tree of nodes from the events of a YAML parser, within limits.

Limits are checked before aliases are expanded: a few hundred bytes of aliases can represent
billions of nodes. Errors of the text become findings with places; exceptions of ruamel.yaml are
translated here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NoReturn

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)
from ruamel.yaml.reader import ReaderError

from tailc.errors import Code, Finding, Place, TailcError
from tailc.specs.scalars import is_number, resolve
from tailc.specs.syntax import explain
from tailc.specs.tree import (
    Mapping,
    MappingEntry,
    Node,
    Scalar,
    Sequence,
    TextSpan,
    place_of,
    split_lines,
)
from tailc.units import shorten

MAX_NODES = 100_000
MAX_DEPTH = 64
_MAX_DIGITS = 40
_LONGEST_SENTENCE = 200

# What ruamel.yaml lets out for escapes beyond Unicode and for odd versions in a `%YAML` line.
_LEAKS = (YAMLError, OverflowError, ValueError, AssertionError)


def compose(text: str, source: str) -> Mapping:
    """Parse `text`, which must have one mapping; TailcError with places."""
    return _Composer(source, split_lines(text), text).compose()


def compose_all(text: str, source: str) -> tuple[Mapping, ...]:
    """Parse the mappings of one or several documents; TailcError with places."""
    return _Composer(source, split_lines(text), text).compose_all()


@dataclass
class _AnchoredNode:
    """A node with an anchor: number of nodes in it, and its depth."""

    node: Node
    size: int
    height: int


@dataclass
class _Composer:
    """Builds the tree from events, and counts nodes as if all aliases were expanded."""

    source: str
    lines: tuple[str, ...]
    text: str
    findings: list[Finding] = field(default_factory=list)
    anchors: dict[str, _AnchoredNode] = field(default_factory=dict)
    open_anchors: set[str] = field(default_factory=set)
    nodes: int = 0

    def compose(self) -> Mapping:
        events = self._events()
        next(events)  # the start of the stream
        start = next(events)
        if isinstance(start, StreamEndEvent):
            self._refuse(
                Code.SYNTAX,
                "the spec is empty",
                TextSpan(1, 1, 1),
                "begin with `apiVersion: tailc/v1`",
            )
        root = self._document(start, events)
        rest = next(events)
        if isinstance(rest, DocumentStartEvent):
            hint = "write each spec in its own file"
            self._refuse(
                Code.SYNTAX,
                ("a second document begins here, but a file can have only one spec"),
                _span(rest),
                hint,
            )
        if not isinstance(root, Mapping):
            hint = "begin with `apiVersion: tailc/v1`"
            message = "the spec must be a mapping of keys to values"
            self._refuse(Code.BAD_VALUE, message, root.span, hint)
        if self.findings:
            raise TailcError(self.findings)
        return root

    def compose_all(self) -> tuple[Mapping, ...]:
        events = self._events()
        next(events)  # the start of the stream
        found: list[Mapping] = []
        while not isinstance(start := next(events), StreamEndEvent):
            root = self._document(start, events)
            self.anchors.clear()
            # A `---` at the end of a file begins one more.
            if isinstance(root, Scalar) and not root.text:
                continue
            if not isinstance(root, Mapping):
                message = "a document must be a mapping of keys to values"
                self._refuse(Code.BAD_VALUE, message, root.span, "begin with `apiVersion:`")
            found.append(root)
        if not found:
            hint = "begin with `apiVersion:`"
            self._refuse(Code.SYNTAX, "the file is empty", TextSpan(1, 1, 1), hint)
        if self.findings:
            raise TailcError(self.findings)
        return tuple(found)

    def _document(self, start: Any, events: Iterator[Any]) -> Node:
        """The content of the document that begins with `start`."""
        self._check_version(start)
        root, _ = self._node(next(events), events, depth=1)
        next(events)  # the end of the document
        return root

    def _events(self) -> Iterator[Any]:
        """The events of ruamel.yaml, with its exceptions translated to findings."""
        seen = TextSpan(1, 1, 1)
        try:
            for event in YAML(typ="safe", pure=True).parse(self.text):
                seen = TextSpan(event.end_mark.line + 1, event.end_mark.column + 1, 1)
                yield event
        except MarkedYAMLError as fault:
            problem = explain(str(fault.problem or fault.context))
            marks = [fault.problem_mark, fault.context_mark]
            mark = next(mark for mark in marks[:: -1 if problem.where_it_began else 1] if mark)
            span = TextSpan(mark.line + 1, mark.column + 1, 1)
            self._refuse(Code.SYNTAX, problem.message, span, problem.help)
        except ReaderError as fault:
            before = split_lines(self.text[: fault.position])
            message = f"character `U+{ord(self.text[fault.position]):04X}` is not allowed in YAML"
            span = TextSpan(len(before), len(before[-1]) + 1, 1)
            self._refuse(Code.SYNTAX, message, span, "remove it")
        except _LEAKS:
            hint = "check for an escape such as `\\U` or a line with `%` after this place"
            self._refuse(Code.SYNTAX, "the text after this place is not YAML", seen, hint)

    def _refuse(
        self, code: Code, message: str, span: TextSpan | None, hint: str | None
    ) -> NoReturn:
        self._note(code, message, span, hint)
        raise TailcError(self.findings)

    def _note(self, code: Code, message: str, span: TextSpan | None, hint: str | None) -> None:
        where = place_of(self.source, self.lines, span) if span else Place(self.source)
        shown = shorten(message, _LONGEST_SENTENCE)
        help_ = shorten(hint, _LONGEST_SENTENCE) if hint else None
        self.findings.append(Finding(code, shown, where, help_))

    def _check_version(self, start: Any) -> None:
        if start.version not in (None, (1, 2)):
            written = ".".join(str(part) for part in start.version)
            hint = "remove the `%YAML` line; in YAML 1.2 `yes` and `no` are text"
            self._refuse(
                Code.SYNTAX, f"YAML {written} is not supported, only 1.2", _span(start), hint
            )

    def _node(self, event: Any, events: Iterator[Any], depth: int) -> tuple[Node, _AnchoredNode]:
        """The node that begins with `event`, with its number of nodes and depth after aliases
        are expanded."""
        if depth > MAX_DEPTH:
            self._too_large(event, f"nested deeper than {MAX_DEPTH} levels")
        if isinstance(event, AliasEvent):
            anchored = self._resolve_alias(event, depth)
            return anchored.node, anchored
        self._count(event, 1)
        before = self.nodes - 1
        if event.anchor is not None:
            self.open_anchors.add(event.anchor)
        node, height = self._fresh(event, events, depth)
        anchored = _AnchoredNode(node, self.nodes - before, height)
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
        return self._mapping(event, events, depth)

    def _resolve_alias(self, event: Any, depth: int) -> _AnchoredNode:
        name = event.anchor
        if name in self.open_anchors:
            message = f"the alias `*{name}` is inside its own anchor `&{name}`"
            self._refuse(Code.SYNTAX, message, _span(event), "write the value out")
        if name not in self.anchors:
            known = ", ".join(f"`&{anchor}`" for anchor in self.anchors)
            hint = (
                f"use an anchor that is written above it: {known}"
                if known
                else ("write the anchor `&name` before the alias")
            )
            self._refuse(Code.SYNTAX, f"the alias `*{name}` has no anchor", _span(event), hint)
        anchored = self.anchors[name]
        self._count(event, anchored.size)
        if depth - 1 + anchored.height > MAX_DEPTH:
            self._too_large(event, f"nested deeper than {MAX_DEPTH} levels")
        return anchored

    def _count(self, event: Any, nodes: int) -> None:
        self.nodes += nodes
        if self.nodes > MAX_NODES:
            self._too_large(event, f"more than {MAX_NODES:,} values after aliases are expanded")

    def _too_large(self, event: Any, what: str) -> None:
        hint = "put measurements into a trace file, and name it in the spec"
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
        entries: dict[str, MappingEntry] = {}
        height = 0
        while not isinstance(following := next(events), MappingEndEvent):
            key, _ = self._node(following, events, depth + 1)
            value, anchored = self._node(next(events), events, depth + 1)
            height = max(height, anchored.height)
            if (name := self._name_of(key, entries)) is not None:
                entries[name] = MappingEntry(key.span, value)
        span = _span(event, following)
        return Mapping(entries, span, bool(event.flow_style)), height + 1

    def _name_of(self, key: Node, entries: dict[str, MappingEntry]) -> str | None:
        """Text of a key; None for an invalid or repeated key, which is recorded."""
        if not isinstance(key, Scalar):
            hint = "write `key: value` with a word as the key"
            self._note(Code.SYNTAX, "a list or mapping cannot be a key", key.span, hint)
        elif key.text == "<<":
            hint = "write the keys, or use an alias for the whole value"
            self._note(Code.SYNTAX, "merge keys are not part of YAML 1.2", key.span, hint)
        elif key.text in entries:
            first = entries[key.text].key_span.line
            message = f"key `{shorten(key.text)}` occurs twice in one mapping"
            self._note(Code.DUPLICATE_KEY, message, key.span, f"the first is on line {first}")
        else:
            return key.text
        return None

    def _scalar(self, event: Any) -> Scalar:
        span = _span(event)
        unsafe = next((char for char in event.value if _is_control(char)), None)
        if unsafe is not None:
            message = f"character `U+{ord(unsafe):04X}` is not allowed in a value"
            self._note(Code.SYNTAX, message, span, "remove it")
            return Scalar("", "", span)
        is_text = event.style is not None or self._check_tag(event) is not None
        value = event.value if is_text else self._resolve_scalar(event.value, span)
        return Scalar(value, event.value, span)

    def _check_tag(self, event: Any) -> str | None:
        """Return a tag for text; record a finding for any other tag."""
        tag = str(event.tag) if event.tag is not None else None
        if tag in (None, "!", "tag:yaml.org,2002:str"):
            return tag
        message = f"the YAML tag `{shorten(tag)}` is not supported"
        self._note(Code.SYNTAX, message, _span(event), "remove it")
        return tag

    def _resolve_scalar(self, text: str, span: TextSpan) -> str | int | float | bool | None:
        if len(text) > _MAX_DIGITS and is_number(text):
            message = f"number `{shorten(text)}` has more than {_MAX_DIGITS} characters"
            self._note(Code.BAD_VALUE, message, span, "put text in quotes")
            return None
        return resolve(text)


def _is_control(char: str) -> bool:
    return (char < " " and char not in "\n\t") or char == "\x7f" or "\ud800" <= char <= "\udfff"


def _span(event: Any, end: Any = None) -> TextSpan:
    """Place of an event, up to its end (or that of `end`), within its first line."""
    start, stop = event.start_mark, (end or event).end_mark
    width = stop.column - start.column if stop.line == start.line else 1 << 20
    return TextSpan(start.line + 1, start.column + 1, max(width, 1))
