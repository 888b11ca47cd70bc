"""Parse command-line arguments that vary a key of a spec over several values.

`battery.capacity=10kWh,20kWh` is a path and YAML values separated by commas. Nodes from these
values have their place in the argument; all other nodes have theirs in the spec.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Sequence as Several
from dataclasses import dataclass, replace

from tailc.errors import Code, Finding, TailcError
from tailc.specs.compose import compose
from tailc.specs.load import path_text
from tailc.specs.tree import (
    Document,
    Mapping,
    MappingEntry,
    Node,
    Scalar,
    Sequence,
    Step,
    TextOrigin,
    TextSpan,
    place_of,
)
from tailc.units import shorten

OPTION = "--set"
_EXAMPLE = f"for example `{OPTION} battery.capacity=10kWh,20kWh`"
# What the values stand in while they are parsed: as wide as the shortest path that a spec has.
_LIST = "k: ["
_KEY = re.compile(r"([^.\[\]]+)((?:\[\d+\])*)(?:\.(?=.)|$)")
_NUMBER = re.compile(r"\[(\d+)\]")


@dataclass(frozen=True)
class _Key:
    """A step of a path to the value of a key."""

    step: str
    span: TextSpan

    def insert(
        self, node: Node | None, rest: _Steps, value: Node, above: tuple[Step, ...]
    ) -> Mapping:
        """The mapping with the value inserted below the key; creates a missing mapping."""
        if node is None or (isinstance(node, Scalar) and node.value is None):
            node = Mapping({}, self.span, is_flow=True)
        if not isinstance(node, Mapping):
            raise _no_keys(node, self.span, above)
        held = node.get(self.step)
        inner = _insert(held.value if held else None, rest, value, (*above, self.step))
        key_span = held.key_span if held and rest else self.span
        return replace(node, entries={**node.entries, self.step: MappingEntry(key_span, inner)})


@dataclass(frozen=True)
class _Index:
    """A step of a path to an item of a list."""

    step: int
    span: TextSpan

    def insert(
        self, node: Node | None, rest: _Steps, value: Node, above: tuple[Step, ...]
    ) -> Sequence:
        """The list with the value inserted below the item."""
        name = path_text(above)
        if not isinstance(node, Sequence):
            message = (
                f"`{name}` is not a list" if node is not None else f"`{name}` is not in the spec"
            )
            raise _refusal(message, self.span, f"give the whole value of `{name}`")
        if self.step >= len(node.items):
            message = (
                f"`{name}[{self.step}]` is not in the spec: the list has {len(node.items)} entries"
            )
            raise _refusal(message, self.span, f"the first is `{name}[0]`")
        items = list(node.items)
        items[self.step] = _insert(items[self.step], rest, value, (*above, self.step))
        return replace(node, items=tuple(items))


_Steps = tuple[_Key | _Index, ...]


@dataclass(frozen=True)
class Variation:
    """A path of a spec, and the values to try there.

    argument: the text of the command line.
    """

    key: _Key
    below: _Steps
    values: tuple[Node, ...]
    argument: str

    @property
    def path(self) -> tuple[Step, ...]:
        return tuple(each.step for each in (self.key, *self.below))

    @property
    def last(self) -> TextSpan:
        """Place of the last key of the varied path, in the spec or the command line."""
        return (self.key, *self.below)[-1].span

    @property
    def path_text(self) -> str:
        """Format the path as on the command line."""
        return path_text(self.path)

    def argument_text(self, number: int) -> str:
        """Format the value of this number as on the command line."""
        value = self.values[number]
        if isinstance(value, Scalar):
            return value.text
        start = value.span.column - 1
        return self.argument[start : start + value.span.width]

    def insert(self, document: Document, number: int) -> Document:
        """Put the value of this number at the path of a document; TailcError if it does not fit."""
        root = self.key.insert(document.root, self.below, self.values[number], ())
        return replace(document, root=root)


def read_variation(argument: str) -> Variation:
    """Parse an argument as a variation; raises TailcError (USAGE) if it is not one."""
    path, equals, values = argument.partition("=")
    origin = TextOrigin(OPTION, (argument,))
    if not argument.isprintable():
        raise _refusal(
            "the values contain a line break or a control character", TextSpan(1, 1, 1, origin)
        )
    if not equals:
        raise _refusal(
            f"`{shorten(argument)}` gives no values", TextSpan(1, 1, len(argument), origin)
        )
    key, below = _steps(path, origin)
    return Variation(key, below, _values(path, values, origin), argument)


def refuse_overlap(variations: Several[Variation]) -> None:
    """Raise TailcError (USAGE) if two variations change the same part of a spec."""
    for number, one in enumerate(variations):
        for other in variations[:number]:
            shared = min(len(one.path), len(other.path))
            if one.path[:shared] == other.path[:shared]:
                message = f"`{one.path_text}` and `{other.path_text}` set the same part of the spec"
                hint = "give all its values in one option, separated by commas"
                raise _refusal(message, one.last, hint)


def _steps(path: str, origin: TextOrigin) -> tuple[_Key, _Steps]:
    found: list[tuple[_Key, list[_Index]]] = []
    at = 0
    while at < len(path) and (match := _KEY.match(path, at)):
        key = match.group(1)
        indices = list(_indices(match.group(2), match.start(2), origin))
        found.append((_Key(key, TextSpan(1, at + 1, len(key), origin)), indices))
        at = match.end()
    if at < len(path) or not found:
        message = f"`{shorten(path)}` is not a path of keys"
        hint = (
            "write keys with dots between them, and `[0]` for the first entry of a list, such as "
            "`slo[0].latency`"
        )
        raise _refusal(message, TextSpan(1, at + 1, max(len(path) - at, 1), origin), hint)
    (key, indices), *others = found
    return key, (*indices, *(step for other, its in others for step in (other, *its)))


def _indices(text: str, start: int, origin: TextOrigin) -> Iterator[_Index]:
    for number in _NUMBER.finditer(text):
        span = TextSpan(1, start + number.start() + 1, len(number.group()), origin)
        yield _Index(int(number.group(1)), span)


def _values(path: str, values: str, origin: TextOrigin) -> tuple[Node, ...]:
    """The values, with their columns in the argument."""
    text = f"{_LIST:<{len(path) + 1}}{values}]"
    try:
        parsed = compose(text, OPTION).entries["k"].value
    except TailcError as error:
        raise TailcError(
            [_move_to_argument(finding, origin) for finding in error.findings]
        ) from None
    found = parsed.items if isinstance(parsed, Sequence) else ()
    if not found:
        raise _refusal(f"`{shorten(path)}` has no value", TextSpan(1, 1, len(path), origin))
    return tuple(_node_from(node, origin) for node in found)


def _move_to_argument(finding: Finding, origin: TextOrigin) -> Finding:
    """A finding about the parsed text as a finding about the argument."""
    assert finding.place is not None
    column = min(finding.place.column or 1, len(origin.lines[0]))
    place = place_of(origin.source, origin.lines, TextSpan(1, column, 1))
    return replace(finding, code=Code.USAGE, place=place)


def _node_from(node: Node, origin: TextOrigin) -> Node:
    """The node with its origin in every span."""
    span = replace(node.span, origin=origin)
    match node:
        case Scalar():
            return replace(node, span=span)
        case Sequence():
            return replace(node, items=tuple(_node_from(i, origin) for i in node.items), span=span)
        case Mapping():
            entries = {
                key: MappingEntry(
                    replace(entry.key_span, origin=origin), _node_from(entry.value, origin)
                )
                for key, entry in node.entries.items()
            }
            return replace(node, entries=entries, span=span)


def _insert(node: Node | None, steps: _Steps, value: Node, above: tuple[Step, ...]) -> Node:
    """The node with the value inserted at the end of the steps; creates missing mappings."""
    if not steps:
        return value
    first, *rest = steps
    return first.insert(node, tuple(rest), value, above)


def _no_keys(node: Scalar | Sequence, span: TextSpan, above: tuple[Step, ...]) -> TailcError:
    name = path_text(above)
    if isinstance(node, Sequence):
        return _refusal(f"`{name}` is a list", span, f"write `{name}[0]` for its first entry")
    message = f"`{name}` has no keys in this spec, but the value `{shorten(node.text)}`"
    return _refusal(
        message, span, (f"give the whole value of `{name}`, or write its keys out in the spec")
    )


def _refusal(message: str, span: TextSpan, hint: str = _EXAMPLE) -> TailcError:
    assert span.origin is not None
    place = place_of(span.origin.source, span.origin.lines, span)
    return TailcError(Finding(Code.USAGE, message, place, hint))
