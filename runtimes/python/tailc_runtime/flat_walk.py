"""Access the fields of a FlatBuffer whose structure has been verified."""

from __future__ import annotations

from typing import Any

from tailc_runtime.errors import BadMeaning


def vector(table: Any, name: str) -> list[Any]:
    """Elements of the vector with this accessor name."""
    length = getattr(table, f"{name}Length")()
    return [getattr(table, name)(index) for index in range(length)]


def text(raw: bytes | None) -> str:
    """A required string."""
    assert raw is not None
    return raw.decode()


def word(words: dict[int, str], number: int) -> str:
    """Name of a member of an enumeration, from its number."""
    if number not in words:
        raise BadMeaning(f"unknown number `{number}`")
    return words[number]
