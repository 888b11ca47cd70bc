"""What a source file says, whatever its language: languages differ in syntax alone."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Constants:
    """A named array of numbers or of texts.

    `name` is in words joined by `_`. Numbers are from 0 to 2^53 - 1, and far below 2^31 if they
    `is_index` into others. `is_inner`: the look-up needs it, and nobody else.
    """

    name: str
    about: str
    values: tuple[int, ...] | tuple[str, ...]
    is_index: bool = False
    is_inner: bool = False

    def __post_init__(self) -> None:
        assert self.values, "C has no empty arrays"

    @property
    def texts(self) -> tuple[str, ...]:
        """The values of an array of texts; none if it is one of numbers."""
        return tuple(value for value in self.values if isinstance(value, str))

    @property
    def numbers(self) -> tuple[int, ...]:
        """The values of an array of numbers; none if it is one of texts."""
        return tuple(value for value in self.values if isinstance(value, int))


@dataclass(frozen=True)
class Tables:
    """Ladders in full, for a look-up without any runtime.

    `is_by_class`: a look-up names its ladder, found by class; `is_for_all`: the last one is for all
    classes without one. `is_scaled`: a controller scales the ages of climbs, and a look-up is told
    its output.
    """

    arrays: tuple[Constants, ...]
    is_by_class: bool
    is_for_all: bool
    is_scaled: bool


@dataclass(frozen=True)
class Embedded:
    """A policy's identity, and its tables, or the bytes of its `.tailc` for a runtime to open."""

    policy_name: str
    kind: str
    generation: int
    digest: str
    form: str
    content: Tables | bytes
    is_sealed_by_wish: bool = False
