"""Layout of a spec: indentation of two spaces, one space after a colon and a comma, keys in order.

A value over several lines, in brackets or quotes, is moved unchanged. A spec with anchors, tags,
block scalars, or an even rarer layout keeps its layout.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.events import AliasEvent, DocumentEndEvent, NodeEvent
from ruamel.yaml.nodes import MappingNode, ScalarNode, SequenceNode

from tailc.specs.formatting.order import Order, Path

_STEP = 2


class _RareError(Exception):
    """The layout is not supported."""


def laid_out(text: str, order: Order) -> str:
    """Lay out the text of a valid spec in the standard way, with a line break at the end."""
    printer = _Printer(text.split("\n"), order)
    try:
        _refuse_rare(text)
        printed = list(printer.whole(YAML(typ="safe", pure=True).compose(text)))
    except _RareError:
        return text if text.endswith("\n") else f"{text}\n"
    return "\n".join(_single_blanks(printed)).strip("\n") + "\n"


def _refuse_rare(text: str) -> None:
    for event in YAML(typ="safe", pure=True).parse(text):
        is_named = isinstance(event, AliasEvent) or getattr(event, "anchor", None)
        is_tagged = isinstance(event, NodeEvent) and getattr(event, "tag", None)
        is_block = getattr(event, "style", None) in ("|", ">")
        is_ended = isinstance(event, DocumentEndEvent) and event.explicit
        if is_named or is_tagged or is_block or is_ended:
            raise _RareError


@dataclass(frozen=True)
class _Line:
    """A line of the new text; `is_raw` if it is a part of a value over several lines."""

    text: str
    is_raw: bool = False


def _single_blanks(lines: list[_Line]) -> Iterator[str]:
    """The lines with at most one consecutive empty line, except within values."""
    before = "start"
    for line in lines:
        if line.text or before or line.is_raw:
            yield line.text
        before = line.text


@dataclass(frozen=True)
class _Printer:
    """Prints nodes with the comments of their original lines."""

    lines: list[str]
    order: Order

    def whole(self, root: Any) -> Iterator[_Line]:
        """The beginning of the file, and its mapping."""
        if root.flow_style or not root.value:
            raise _RareError
        first = root.value[0][0].start_mark.line
        yield from (_Line(line.rstrip()) for line in self.lines[:first])
        yield from self._mapping(root, (), 0, first, len(self.lines))

    def _mapping(self, node: Any, path: Path, indent: int, first: int, end: int) -> Iterator[_Line]:
        """Print a block mapping, from line `first` to before `end`, with its comments."""
        column = node.start_mark.column
        foot = self._above(end, column)
        begins = [first, *(self._above(key.start_mark.line, column) for key, _ in node.value[1:])]
        stops = [*begins[1:], foot]
        parts = {
            key.value: (begin, key, value, stop)
            for begin, (key, value), stop in zip(begins, node.value, stops, strict=True)
        }
        names = list(parts)
        # A comment above a key that follows a dash would have to follow the dash too.
        is_fixed = self._is_behind_dash(node) and any(
            begin != key.start_mark.line for begin, key, _, _ in parts.values()
        )
        for name in names if is_fixed else self.order(path, names):
            begin, key, value, stop = parts[name]
            yield from self._comments(begin, key.start_mark.line, indent)
            yield from self._entry(key, value, (*path, name), indent, stop)
        yield from self._comments(foot, end, indent)

    def _entry(self, key: Any, value: Any, path: Path, indent: int, stop: int) -> Iterator[_Line]:
        line = key.start_mark.line
        colon = self._colon(key)
        head = f"{' ' * indent}{self._source(key)}:"
        if isinstance(value, ScalarNode) and not value.value and not value.style:
            yield _Line(head + self.lines[line][colon:].rstrip())
            yield from self._comments(line + 1, stop, indent + _STEP)
        elif self._is_short(value, line, colon):
            last = value.end_mark.line
            yield _Line(f"{head} {self._flow(value, path)}{self._behind(value)}")
            yield from self._comments(last + 1, stop, indent + _STEP)
        elif isinstance(value, ScalarNode) or value.flow_style:
            yield from self._print_over_lines(line, value, indent - key.start_mark.column)
            yield from self._comments(value.end_mark.line + 1, stop, indent + _STEP)
        else:
            yield _Line(head + self._comment(self.lines[line][colon:]))
            print_ = self._mapping if isinstance(value, MappingNode) else self._sequence
            yield from print_(value, path, indent + _STEP, line + 1, stop)

    def _sequence(
        self, node: Any, path: Path, indent: int, first: int, end: int
    ) -> Iterator[_Line]:
        """Print a block list, from line `first` to before `end`, with its comments."""
        column = node.start_mark.column
        foot = self._above(end, column)
        starts = [item.start_mark.line for item in node.value]
        begins = [first, *(self._above(line, column) for line in starts[1:])]
        stops = [*begins[1:], foot]
        for at, item in enumerate(node.value):
            self._refuse_no_dash(item, column)
            yield from self._comments(begins[at], starts[at], indent)
            yield from self._item(item, (*path, at), indent, column, stops[at])
        yield from self._comments(foot, end, indent)

    def _item(self, item: Any, path: Path, indent: int, column: int, stop: int) -> Iterator[_Line]:
        line = item.start_mark.line
        if self._is_short(item, line, column + 1):
            yield _Line(f"{' ' * indent}- {self._flow(item, path)}{self._behind(item)}")
            yield from self._comments(line + 1, stop, indent + _STEP)
        elif isinstance(item, ScalarNode) or item.flow_style:
            yield from self._print_over_lines(line, item, indent - column)
            yield from self._comments(item.end_mark.line + 1, stop, indent + _STEP)
        elif isinstance(item, SequenceNode):
            raise _RareError
        else:
            below = self._mapping(item, path, indent + _STEP, line, stop)
            first = next(below)
            yield _Line(f"{' ' * indent}- {first.text[indent + _STEP :]}", first.is_raw)
            yield from below

    def _above(self, line: int, column: int) -> int:
        """First of the comments directly above a line that are not indented more than the
        column."""
        while line > 0 and self._is_above(self.lines[line - 1], column):
            line -= 1
        return line

    def _is_above(self, line: str, column: int) -> bool:
        text = line.lstrip()
        return not text or (text.startswith("#") and len(line) - len(text) <= column)

    def _comments(self, first: int, end: int, indent: int) -> Iterator[_Line]:
        for line in self.lines[first:end]:
            if line.strip() and not line.lstrip().startswith("#"):
                raise _RareError
            yield _Line(f"{' ' * indent}{line.strip()}".rstrip())

    def _print_over_lines(self, line: int, value: Any, by: int) -> Iterator[_Line]:
        """Print a value over several lines, from the line of its beginning or of its key."""
        for text in self.lines[line : value.end_mark.line + 1]:
            kept = text[min(-by, len(text) - len(text.lstrip())) :] if by < 0 else text
            yield _Line(" " * by + kept if text.strip() else text, is_raw=True)

    def _is_short(self, value: Any, line: int, column: int) -> bool:
        """Whether the value is in one line, with only blanks between it and the given position."""
        start = value.start_mark
        if start.line != value.end_mark.line:
            return False
        between = [self.lines[line][column:], *self.lines[line + 1 : start.line + 1]]
        between[-1] = between[-1][: start.column - (column if start.line == line else 0)]
        is_block = not isinstance(value, ScalarNode) and not value.flow_style
        return not is_block and not any(part.strip() for part in between)

    def _flow(self, node: Any, path: Path) -> str:
        """Print a value in one line."""
        if isinstance(node, ScalarNode):
            return self._source(node)
        if isinstance(node, SequenceNode):
            items = (self._flow(item, (*path, at)) for at, item in enumerate(node.value))
            return f"[{', '.join(items)}]"
        if not self._source(node).startswith("{"):
            raise _RareError
        values = {key.value: (self._source(key), value) for key, value in node.value}
        pairs = []
        for name in self.order(path, list(values)):
            key, value = values[name]
            pairs.append(f"{key}: {self._flow(value, (*path, name))}")
        return f"{{{', '.join(pairs)}}}"

    def _source(self, node: Any) -> str:
        """Text of a node in one line, as written."""
        start, end = node.start_mark, node.end_mark
        text = self.lines[start.line][start.column : end.column].rstrip()
        if start.line != end.line or not text:
            raise _RareError
        return text

    def _colon(self, key: Any) -> int:
        """Column after the colon of a key."""
        end = key.end_mark
        text = self.lines[end.line]
        colon = text.find(":", end.column)
        if (
            colon < 0
            or text[end.column : colon].strip()
            or text[: key.start_mark.column].strip(" -")
        ):
            raise _RareError
        return colon + 1

    def _behind(self, value: Any) -> str:
        return self._comment(self.lines[value.end_mark.line][value.end_mark.column :])

    def _comment(self, rest: str) -> str:
        """Comment after a value on its line, with its distance."""
        if rest.strip() and not rest.lstrip().startswith("#"):
            raise _RareError
        return rest.rstrip()

    def _is_behind_dash(self, node: Any) -> bool:
        start = node.start_mark
        return "-" in self.lines[start.line][: start.column]

    def _refuse_no_dash(self, item: Any, column: int) -> None:
        """Raise for an item that is not on the line of its dash."""
        start = item.start_mark
        before = self.lines[start.line][: start.column]
        if before.strip() != "-" or before[column] != "-":
            raise _RareError
