"""The content of a source file, independent of its language."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Constants:
    """An array of numbers or of texts for embedded source code, with its name.

    name: words joined by `_`. Numbers are from 0 to 2^53 - 1, and far below 2^31 if they are
    indices (`is_index`). is_inner: only the look-up function uses the array.
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
        """The values of an array of texts; empty for an array of numbers."""
        return tuple(value for value in self.values if isinstance(value, str))

    @property
    def numbers(self) -> tuple[int, ...]:
        """The values of an array of numbers; empty for an array of texts."""
        return tuple(value for value in self.values if isinstance(value, int))


@dataclass(frozen=True)
class Tables:
    """All tables of a policy's ladders as arrays, for look-ups without a runtime library.

    is_by_class: the ladder is chosen by the class of a request. is_for_all: the last ladder is for
    all classes without a ladder of their own. is_scaled: a controller scales the ages of climbs,
    and its output is an argument of the look-up.
    """

    arrays: tuple[Constants, ...]
    is_by_class: bool
    is_for_all: bool
    is_scaled: bool


@dataclass(frozen=True)
class EmbeddedPolicy:
    """What a source file embeds: the identity of a policy, and its tables or its `.tailc` bytes.

    is_sealed_by_wish: whether the user chose the bytes although tables are possible.
    """

    policy_name: str
    kind: str
    generation: int
    digest: str
    form: str
    content: Tables | bytes
    is_sealed_by_wish: bool = False
