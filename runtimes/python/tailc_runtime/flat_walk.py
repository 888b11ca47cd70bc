"""Steps through a FlatBuffer whose structure has been verified."""

from __future__ import annotations

from typing import Any

from tailc_runtime.errors import BadMeaning


def vector(table: Any, name: str) -> list[Any]:
    """The elements of a vector, by the accessor's name of it."""
    length = getattr(table, f"{name}Length")()
    return [getattr(table, name)(index) for index in range(length)]


def text(raw: bytes | None) -> str:
    """A string that is required."""
    assert raw is not None
    return raw.decode()


def word(words: dict[int, str], number: int) -> str:
    """What a number of an enumeration stands for."""
    if number not in words:
        raise BadMeaning(f"number `{number}` stands for nothing known here")
    return words[number]
