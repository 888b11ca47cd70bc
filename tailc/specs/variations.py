"""Values that the command line gives for a key of a spec, each to be tried in its place.

`battery.capacity=10kWh,20kWh` is a path and YAML values with commas between. What they become in
the tree of a spec knows that it was written there, and all else keeps its line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Sequence as Several
from dataclasses import dataclass, replace

from tailc.errors import Code, Finding, TailcError
from tailc.specs.compose import compose
from tailc.specs.load import spelled
from tailc.specs.tree import (
    Document,
    Entry,
    Mapping,
    Node,
    Origin,
    Scalar,
    Sequence,
    Span,
    Step,
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
    span: Span

    def put(self, node: Node | None, rest: _Steps, value: Node, above: tuple[Step, ...]) -> Mapping:
        """The mapping with the value where the rest leads below the key; a missing one is made."""
        if node is None or (isinstance(node, Scalar) and node.value is None):
            node = Mapping({}, self.span, is_flow=True)
        if not isinstance(node, Mapping):
            raise _no_keys(node, self.span, above)
        held = node.get(self.step)
        inner = _put(held.value if held else None, rest, value, (*above, self.step))
        key_span = held.key_span if held and rest else self.span
        return replace(node, entries={**node.entries, self.step: Entry(key_span, inner)})


@dataclass(frozen=True)
class _Index:
    """A step of a path to an item of a list."""

    step: int
    span: Span

    def put(
        self, node: Node | None, rest: _Steps, value: Node, above: tuple[Step, ...]
    ) -> Sequence:
        """The list with the value where the rest leads below the item."""
        name = spelled(above)
        if not isinstance(node, Sequence):
            message = f"`{name}` is no list" if node is not None else f"`{name}` is not in the spec"
            raise _refused(message, self.span, f"give `{name}` as a whole")
        if self.step >= len(node.items):
            message = f"`{name}[{self.step}]` is not in the spec: there are {len(node.items)}"
            raise _refused(message, self.span, f"the first is `{name}[0]`")
        items = list(node.items)
        items[self.step] = _put(items[self.step], rest, value, (*above, self.step))
        return replace(node, items=tuple(items))


_Steps = tuple[_Key | _Index, ...]


@dataclass(frozen=True)
class Variation:
    """A path of a spec, and the values to try there."""

    key: _Key
    below: _Steps
    values: tuple[Node, ...]
    argument: str

    @property
    def path(self) -> tuple[Step, ...]:
        return tuple(each.step for each in (self.key, *self.below))

    @property
    def last(self) -> Span:
        """Where the last step of the path is written."""
        return (self.key, *self.below)[-1].span

    @property
    def spelled(self) -> str:
        """The path as people write it."""
        return spelled(self.path)

    def written(self, number: int) -> str:
        """A value as the command line has it."""
        value = self.values[number]
        if isinstance(value, Scalar):
            return value.text
        start = value.span.column - 1
        return self.argument[start : start + value.span.width]

    def put(self, document: Document, number: int) -> Document:
        """The document with that value at the path; TailcError where it cannot stand there."""
        root = self.key.put(document.root, self.below, self.values[number], ())
        return replace(document, root=root)


def read_variation(argument: str) -> Variation:
    """The variation that an argument asks for; TailcError (USAGE) where it asks for none."""
    path, equals, values = argument.partition("=")
    origin = Origin(OPTION, (argument,))
    if not argument.isprintable():
        raise _refused("values have a line break or a control character", Span(1, 1, 1, origin))
    if not equals:
        raise _refused(f"`{shorten(argument)}` gives no values", Span(1, 1, len(argument), origin))
    key, below = _steps(path, origin)
    return Variation(key, below, _values(path, values, origin), argument)


def refuse_overlap(variations: Several[Variation]) -> None:
    """Raise TailcError (USAGE) where two give the same part of a spec."""
    for number, one in enumerate(variations):
        for other in variations[:number]:
            shared = min(len(one.path), len(other.path))
            if one.path[:shared] == other.path[:shared]:
                message = f"`{one.spelled}` and `{other.spelled}` are the same part of the spec"
                hint = "give all values of it in one, with commas between"
                raise _refused(message, one.last, hint)


def _steps(path: str, origin: Origin) -> tuple[_Key, _Steps]:
    found: list[tuple[_Key, list[_Index]]] = []
    at = 0
    while at < len(path) and (match := _KEY.match(path, at)):
        key = match.group(1)
        indices = list(_indices(match.group(2), match.start(2), origin))
        found.append((_Key(key, Span(1, at + 1, len(key), origin)), indices))
        at = match.end()
    if at < len(path) or not found:
        message = f"`{shorten(path)}` is no path of keys"
        hint = "keys with dots between, and `[0]` for the first of a list, such as `slo[0].latency`"
        raise _refused(message, Span(1, at + 1, max(len(path) - at, 1), origin), hint)
    (key, indices), *others = found
    return key, (*indices, *(step for other, its in others for step in (other, *its)))


def _indices(text: str, start: int, origin: Origin) -> Iterator[_Index]:
    for number in _NUMBER.finditer(text):
        span = Span(1, start + number.start() + 1, len(number.group()), origin)
        yield _Index(int(number.group(1)), span)


def _values(path: str, values: str, origin: Origin) -> tuple[Node, ...]:
    """The values, which keep their columns: what stands before them is as long as the path."""
    text = f"{_LIST:<{len(path) + 1}}{values}]"
    try:
        parsed = compose(text, OPTION).entries["k"].value
    except TailcError as error:
        raise TailcError([_moved(finding, origin) for finding in error.findings]) from None
    found = parsed.items if isinstance(parsed, Sequence) else ()
    if not found:
        raise _refused(f"`{shorten(path)}` is given no value", Span(1, 1, len(path), origin))
    return tuple(_from(node, origin) for node in found)


def _moved(finding: Finding, origin: Origin) -> Finding:
    """A complaint about the text that was parsed as one about the argument."""
    assert finding.place is not None
    column = min(finding.place.column or 1, len(origin.lines[0]))
    place = place_of(origin.source, origin.lines, Span(1, column, 1))
    return replace(finding, code=Code.USAGE, place=place)


def _from(node: Node, origin: Origin) -> Node:
    """The node with its origin in every span."""
    span = replace(node.span, origin=origin)
    match node:
        case Scalar():
            return replace(node, span=span)
        case Sequence():
            return replace(node, items=tuple(_from(i, origin) for i in node.items), span=span)
        case Mapping():
            entries = {
                key: Entry(replace(entry.key_span, origin=origin), _from(entry.value, origin))
                for key, entry in node.entries.items()
            }
            return replace(node, entries=entries, span=span)


def _put(node: Node | None, steps: _Steps, value: Node, above: tuple[Step, ...]) -> Node:
    """The node with the value where the steps lead; mappings that are missing are made."""
    if not steps:
        return value
    first, *rest = steps
    return first.put(node, tuple(rest), value, above)


def _no_keys(node: Scalar | Sequence, span: Span, above: tuple[Step, ...]) -> TailcError:
    name = spelled(above)
    if isinstance(node, Sequence):
        return _refused(f"`{name}` is a list", span, f"write `{name}[0]` for the first of it")
    message = f"`{name}` has no keys here: the spec says `{shorten(node.text)}`"
    return _refused(message, span, f"give `{name}` as a whole, or write its keys out in the spec")


def _refused(message: str, span: Span, hint: str = _EXAMPLE) -> TailcError:
    assert span.origin is not None
    place = place_of(span.origin.source, span.origin.lines, span)
    return TailcError(Finding(Code.USAGE, message, place, hint))
