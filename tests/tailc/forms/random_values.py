"""Random numbers and names, often the least or the largest that are valid."""

from __future__ import annotations

import enum
from random import Random
from typing import TypeVar

LARGEST = 2**53 - 1
_NAMES = ("a", "search", "Zürich", "線形", '"quoted"\\', "tab\there", "\U0001f422", "\u007f\u2028")
_E = TypeVar("_E", bound=enum.Enum)


def number_up_to(rng: Random, most: int) -> int:
    return rng.choice((1, most, rng.randint(1, most)))


def some_name(rng: Random) -> str:
    return rng.choice(_NAMES) + rng.choice(("", "0", "-b"))


def whole_number(rng: Random, least: int = 0) -> int:
    top = rng.choice((3, 1_000, 10**9, LARGEST))
    return least + rng.randrange(top - least + 1)


def whole_numbers(rng: Random, most: int, least: int = 0) -> tuple[int, ...]:
    return tuple(whole_number(rng, least) for _ in range(rng.randint(0, most)))


def number_or_none(rng: Random, least: int = 0) -> int | None:
    return rng.choice((None, whole_number(rng, least)))


def any_member(rng: Random, members: type[_E]) -> _E:
    return rng.choice(list(members))
