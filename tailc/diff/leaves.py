"""Flatten nested dataclasses and tuples to pairs of a path and a text."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from tailc.artifact.envelope import Input
from tailc.artifact.reading_record import record_of_reading
from tailc.forms.ladder.row_evidence import RowEvidence
from tailc.traces.reading import TraceReading


def leaves(path: str, value: object) -> Iterator[tuple[str, str]]:
    """Pairs such as (`evidence.rows[12].tail_us`, `486000`); nothing for None.

    Items of a tuple have their identifying value as index, or their number from 0. A reading has
    the names of its fields in an artifact.
    """
    if value is None:
        return
    if isinstance(value, TraceReading):
        value = record_of_reading(value)
    if is_dataclass(value):
        for field in fields(value):
            yield from leaves(f"{path}.{field.name}", getattr(value, field.name))
    elif isinstance(value, tuple) and any(map(_has_parts, value)):
        for key, item in _items(value):
            yield from leaves(f"{path}[{key}]", item)
    elif isinstance(value, tuple):
        yield path, ", ".join(str(item) for item in value)
    else:
        yield path, str(value.value if isinstance(value, enum.Enum) else value)


def _has_parts(item: object) -> bool:
    return isinstance(item, tuple) or is_dataclass(item)


def _items(items: tuple[object, ...]) -> list[tuple[str, object]]:
    named = [_identify(item) for item in items]
    if len({name for name, _ in named}) < len(items):
        return [(str(number), item) for number, item in enumerate(items)]
    return named


def _identify(item: object) -> tuple[str, object]:
    match item:
        case RowEvidence():
            return str(item.load), item
        case Input():
            return item.role.value, item
        case (str() as name, value):
            return name, value
    return "", item
