"""Members of JSON objects with checked types; raises BadStructure for others."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from tailc_runtime.errors import BadStructure


def member(parent: dict[str, Any], name: str, kind: type) -> Any:
    """The member `name`, which must have exactly this type."""
    value = parent.get(name)
    # Not isinstance: True is an int in Python, but not a whole number in JSON.
    if type(value) is not kind:
        raise BadStructure(f"member `{name}` is missing or of the wrong type")
    return value


def text(parent: dict[str, Any], name: str) -> str:
    """A member that is a string."""
    return member(parent, name, str)


def whole(parent: dict[str, Any], name: str) -> int:
    """A member that is a whole number."""
    return member(parent, name, int)


def object_in(parent: dict[str, Any], name: str) -> dict[str, Any]:
    """A member that is an object."""
    return member(parent, name, dict)


def list_in(parent: dict[str, Any], name: str) -> list[Any]:
    """A member that is a list."""
    return member(parent, name, list)


def wholes(parent: dict[str, Any], name: str) -> tuple[int, ...]:
    """A member that is a list of whole numbers."""
    numbers = list_in(parent, name)
    if not all(type(number) is int for number in numbers):
        raise BadStructure(f"member `{name}` should hold whole numbers")
    return tuple(numbers)


def texts(parent: dict[str, Any], name: str) -> tuple[str, ...]:
    """A member that is a list of strings."""
    texts = list_in(parent, name)
    if not all(isinstance(text, str) for text in texts):
        raise BadStructure(f"member `{name}` should hold strings")
    return tuple(texts)


def objects(parent: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """A member that is a list of objects."""
    objects = list_in(parent, name)
    if not all(isinstance(part, dict) for part in objects):
        raise BadStructure(f"member `{name}` should hold objects")
    return objects


def refuse_others(record: dict[str, Any], known: Collection[str]) -> None:
    """Refuse members that are not in `known`."""
    for name in record:
        if name not in known:
            raise BadStructure(f"member `{name}` does not exist")
