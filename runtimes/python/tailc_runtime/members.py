"""Members of JSON objects, each of the type that is wanted, or BadStructure."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from tailc_runtime.errors import BadStructure


def member(parent: dict[str, Any], name: str, kind: type) -> Any:
    """The member `name` of exactly that type."""
    value = parent.get(name)
    # Not isinstance: True is an int in Python, but not a whole number in JSON.
    if type(value) is not kind:
        raise BadStructure(f"member `{name}` is missing or of the wrong type")
    return value


def text(parent: dict[str, Any], name: str) -> str:
    """A string."""
    return member(parent, name, str)


def whole(parent: dict[str, Any], name: str) -> int:
    """A whole number."""
    return member(parent, name, int)


def object_in(parent: dict[str, Any], name: str) -> dict[str, Any]:
    """An object."""
    return member(parent, name, dict)


def list_in(parent: dict[str, Any], name: str) -> list[Any]:
    """A list of anything."""
    return member(parent, name, list)


def wholes(parent: dict[str, Any], name: str) -> tuple[int, ...]:
    """A list of whole numbers."""
    numbers = list_in(parent, name)
    if not all(type(number) is int for number in numbers):
        raise BadStructure(f"member `{name}` should hold whole numbers")
    return tuple(numbers)


def texts(parent: dict[str, Any], name: str) -> tuple[str, ...]:
    """A list of strings."""
    texts = list_in(parent, name)
    if not all(isinstance(text, str) for text in texts):
        raise BadStructure(f"member `{name}` should hold strings")
    return tuple(texts)


def objects(parent: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """A list of objects."""
    objects = list_in(parent, name)
    if not all(isinstance(part, dict) for part in objects):
        raise BadStructure(f"member `{name}` should hold objects")
    return objects


def refuse_others(record: dict[str, Any], known: Collection[str]) -> None:
    """Refuse a member that is not among the `known`."""
    for name in record:
        if name not in known:
            raise BadStructure(f"member `{name}` does not exist")
