"""Parse a plainly written spec with a parser that is thirty times as fast as the general one.

YAML 1.1 and 1.2 and both parsers agree on texts without escapes, anchors, tags, block scalars and
complex keys. `tailc.specs.compose` parses all other texts and reports all errors, so that the
meaning and the messages do not depend on the parser.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from yaml import YAMLError, parse
from yaml.events import (
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from tailc.specs.scalars import is_number, resolve
from tailc.specs.tree import Mapping, MappingEntry, Node, Scalar, Sequence, TextSpan

try:
    from yaml import CSafeLoader
except ImportError:  # PyYAML was built without its library in C
    CSafeLoader = None

_MAX_DEPTH = 16
_MAX_CHARACTERS = 100_000
_LONGEST_NUMBER = 40
# Lines that end by LF alone, of characters that both parsers count as one column each.
_PLAIN = re.compile(r"[\n\x20-\x7e\xa1-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]*\n")
_SPECIAL = re.compile(r"[&*!?|>\\]|^(?:%|---|\.\.\.)", re.MULTILINE)


class _OtherwiseError(Exception):
    """The text is not plain."""


def compose_plain(text: str) -> Mapping | None:
    """Parse the mapping in a spec's text; None if the text is not plain or not valid YAML."""
    if CSafeLoader is None or len(text) > _MAX_CHARACTERS:
        return None
    if not _PLAIN.fullmatch(text) or _SPECIAL.search(text):
        return None
    events = parse(text, CSafeLoader)
    try:
        next(events)  # the start of the stream
        next(events)  # and of the document
        root = _node(next(events), events, depth=1)
        next(events)  # the end of the document
        is_whole = isinstance(next(events), StreamEndEvent)
    except (YAMLError, StopIteration, _OtherwiseError):  # an empty text has no more events
        return None
    return root if is_whole and isinstance(root, Mapping) else None


def _node(event: Any, events: Iterator[Any], depth: int) -> Node:
    if isinstance(event, ScalarEvent):
        return _scalar(event)
    if depth > _MAX_DEPTH:
        raise _OtherwiseError
    if isinstance(event, SequenceStartEvent):
        return _sequence(event, events, depth)
    if isinstance(event, MappingStartEvent):
        return _mapping(event, events, depth)
    raise _OtherwiseError


def _sequence(event: Any, events: Iterator[Any], depth: int) -> Sequence:
    items: list[Node] = []
    while not isinstance(following := next(events), SequenceEndEvent):
        items.append(_node(following, events, depth + 1))
    return Sequence(tuple(items), _span(event, following), bool(event.flow_style))


def _mapping(event: Any, events: Iterator[Any], depth: int) -> Mapping:
    entries: dict[str, MappingEntry] = {}
    while not isinstance(following := next(events), MappingEndEvent):
        key = _node(following, events, depth + 1)
        if not isinstance(key, Scalar) or key.text == "<<" or key.text in entries:
            raise _OtherwiseError
        entries[key.text] = MappingEntry(key.span, _node(next(events), events, depth + 1))
    return Mapping(entries, _span(event, following), bool(event.flow_style))


def _scalar(event: Any) -> Scalar:
    """A plain word; the parsers disagree about the place of an empty one."""
    text, span = event.value, _span(event, event)
    if event.style in ("'", '"'):
        return Scalar(text, text, span)
    if not text or (len(text) > _LONGEST_NUMBER and is_number(text)):
        raise _OtherwiseError
    return Scalar(resolve(text), text, span)


def _span(event: Any, end: Any) -> TextSpan:
    """Place of an event, as the careful parser has it."""
    start, stop = event.start_mark, end.end_mark
    width = stop.column - start.column if stop.line == start.line else 1 << 20
    return TextSpan(start.line + 1, start.column + 1, max(width, 1))
