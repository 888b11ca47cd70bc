"""Values that the command line gives for a key of a spec, each to be tried in its place.

`battery.capacity=10kWh,20kWh` is a path and YAML values with commas between. What they become in
the tree of a spec knows that it was written there, and all else keeps its line.
"""

from __future__ import annotations

import re
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

_Steps = tuple[tuple[Step, Span], ...]


@dataclass(frozen=True)
class Variation:
    """A path of a spec, and the values to try there."""

    steps: _Steps
    values: tuple[Node, ...]
    argument: str

    @property
    def path(self) -> tuple[Step, ...]:
        return tuple(step for step, _ in self.steps)

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
        root = _put(document.root, self.steps, self.values[number], ())
        assert isinstance(root, Mapping)
        return replace(document, root=root)


def read_variation(argument: str) -> Variation:
    """The variation that an argument asks for; TailcError (USAGE) where it asks for none."""
    path, equals, values = argument.partition("=")
    origin = Origin(OPTION, (argument,))
    if not argument.isprintable():
        raise _refused("values have a line break or a control character", Span(1, 1, 1, origin))
    if not equals:
        raise _refused(f"`{shorten(argument)}` gives no values", Span(1, 1, len(argument), origin))
    steps = _steps(path, origin)
    return Variation(steps, _values(path, values, origin), argument)


def refuse_overlap(variations: Several[Variation]) -> None:
    """Raise TailcError (USAGE) where two give the same part of a spec."""
    for number, one in enumerate(variations):
        for other in variations[:number]:
            shared = min(len(one.path), len(other.path))
            if one.path[:shared] == other.path[:shared]:
                message = f"`{one.spelled}` and `{other.spelled}` are the same part of the spec"
                hint = "give all values of it in one, with commas between"
                raise _refused(message, one.steps[-1][1], hint)


def _steps(path: str, origin: Origin) -> _Steps:
    found: list[tuple[Step, Span]] = []
    at = 0
    while at < len(path) and (match := _KEY.match(path, at)):
        key, indices = match.group(1), match.group(2)
        found.append((key, Span(1, at + 1, len(key), origin)))
        for number in _NUMBER.finditer(indices):
            column = match.start(2) + number.start() + 1
            found.append((int(number.group(1)), Span(1, column, len(number.group()), origin)))
        at = match.end()
    if at < len(path) or not found:
        message = f"`{shorten(path)}` is no path of keys"
        hint = "keys with dots between, and `[0]` for the first of a list, such as `slo[0].latency`"
        raise _refused(message, Span(1, at + 1, max(len(path) - at, 1), origin), hint)
    return tuple(found)


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
    (step, span), *rest = steps
    if isinstance(step, int):
        return _put_in_list(node, steps, value, above)
    if node is None or (isinstance(node, Scalar) and node.value is None):
        node = Mapping({}, span, is_flow=True)
    if not isinstance(node, Mapping):
        raise _no_keys(node, span, above)
    held = node.get(step)
    inner = _put(held.value if held else None, tuple(rest), value, (*above, step))
    key_span = held.key_span if held and rest else span
    return replace(node, entries={**node.entries, step: Entry(key_span, inner)})


def _put_in_list(node: Node | None, steps: _Steps, value: Node, above: tuple[Step, ...]) -> Node:
    (number, span), *rest = steps
    assert isinstance(number, int)
    name = spelled(above)
    if not isinstance(node, Sequence):
        message = f"`{name}` is no list" if node is not None else f"`{name}` is not in the spec"
        raise _refused(message, span, f"give `{name}` as a whole")
    if number >= len(node.items):
        message = f"`{name}[{number}]` is not in the spec: there are {len(node.items)}"
        raise _refused(message, span, f"the first is `{name}[0]`")
    items = list(node.items)
    items[number] = _put(items[number], tuple(rest), value, (*above, number))
    return replace(node, items=tuple(items))


def _no_keys(node: Node, span: Span, above: tuple[Step, ...]) -> TailcError:
    name = spelled(above)
    if isinstance(node, Sequence):
        return _refused(f"`{name}` is a list", span, f"write `{name}[0]` for the first of it")
    assert isinstance(node, Scalar)
    message = f"`{name}` has no keys here: the spec says `{shorten(node.text)}`"
    return _refused(message, span, f"give `{name}` as a whole, or write its keys out in the spec")


def _refused(message: str, span: Span, hint: str = _EXAMPLE) -> TailcError:
    assert span.origin is not None
    place = place_of(span.origin.source, span.origin.lines, span)
    return TailcError(Finding(Code.USAGE, message, place, hint))
