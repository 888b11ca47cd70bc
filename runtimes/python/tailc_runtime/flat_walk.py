"""A FlatBuffer step by step: never more than its bytes can hold, and nothing that is missing."""

from __future__ import annotations

from typing import Any

from tailc_runtime.errors import BadMeaning, BadStructure


class Walk:
    """Reads no more than a buffer of `size` bytes can hold."""

    def __init__(self, size: int) -> None:
        self._left = size

    def vector(self, table: Any, name: str) -> list[Any]:
        length = getattr(table, f"{name}Length")()
        self._spend(length)
        return [getattr(table, name)(index) for index in range(length)]

    def text(self, raw: bytes | None) -> str:
        if raw is None:
            raise BadStructure("a string is missing")
        self._spend(len(raw))
        return raw.decode("utf-8")

    def _spend(self, count: int) -> None:
        self._left -= count
        if self._left < 0:
            raise BadStructure("the buffer claims more than it can hold")


def word(words: dict[int, str], number: int) -> str:
    """What a number of an enumeration stands for."""
    if number not in words:
        raise BadMeaning(f"number `{number}` stands for nothing known here")
    return words[number]


def there(table: Any) -> Any:
    """A table that must not be missing."""
    if table is None:
        raise BadStructure("a table is missing")
    return table
