"""Records as JSON data: fields by name, enumerations by value, tuples as lists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from enum import Enum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def json_data(record: DataclassInstance) -> dict[str, Any]:
    """Convert a record, and the records in it, to JSON data in the order of their fields."""
    return asdict(record, dict_factory=_members)


def _members(fields: Sequence[tuple[str, object]]) -> dict[str, Any]:
    return {name: _plain(value) for name, value in fields}


def _plain(value: object) -> object:
    if isinstance(value, Enum):
        return value.value
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value
