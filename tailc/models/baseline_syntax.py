"""Syntax of baseline names: NAME[-PARAMETER][<LOAD][>TIME][+FLAG], for all execution models.

Each baseline states its own part of the grammar, such as `fix-N[<LOAD][+boost]`: fixed words as
written, capitals for values, brackets for optional parts.
"""

from __future__ import annotations

import enum
import functools
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tailc.units import FREQUENCY, QuantityError, QuantityFault, parse_khz, parse_ppm, parse_us


class Placeholder(enum.Enum):
    """Kind of value in the name of a baseline, such as a load or a time.

    The value of the member is the placeholder that the syntax of names has for it, such as `LOAD`.
    """

    NUMBER = "N"
    LOAD = "LOAD"
    TIME = "TIME"
    BUDGET = "BUDGET"
    SHARE = "SHARE"
    FREQUENCY = "FREQUENCY"
    BATCH = "BATCH"
    TOKENS = "TOKENS"


@dataclass(frozen=True)
class NameValues:
    """The values that the name of a baseline contains, such as the load in `fix-4<30`.

    by_part: numbers, loads and tokens as written; times and budgets in microseconds, shares in
    millionths, frequencies in kHz. has_flag: whether the name has the flag of the syntax.
    """

    by_part: Mapping[Placeholder, int]
    has_flag: bool

    def __getitem__(self, part: Placeholder) -> int:
        return self.by_part[part]

    def get(self, part: Placeholder) -> int | None:
        """The value at a placeholder of a baseline's name; None if the name does not have it."""
        return self.by_part.get(part)


@dataclass(frozen=True)
class Syntax:
    """The syntax of a baseline's names, such as `fix-N[<LOAD][+boost]`."""

    text: str

    def __post_init__(self) -> None:
        _pattern(self.text)

    def __str__(self) -> str:
        return self.text

    @property
    def name(self) -> str:
        """First word of a baseline's names, which all of them share."""
        return re.split(r"\[|-(?=[A-Z])", self.text, maxsplit=1)[0]

    @property
    def takes_parameter(self) -> bool:
        """Whether names of a baseline may have a parameter after a hyphen."""
        return re.search("-[A-Z]", self.text) is not None

    def read(self, name: str) -> NameValues | None:
        """Parse the name of a baseline; return None if it does not follow this syntax.

        Case does not matter. Raises QuantityError for a value out of range.
        """
        match = _pattern(self.text).fullmatch(_fold_case(name))
        if match is None:
            return None
        texts = {Placeholder[key]: text for key, text in match.groupdict().items() if text}
        values = {part: _VALUES[part].read(text) for part, text in texts.items()}
        return NameValues(values, has_flag="+" in match[0])

    def is_name_with_more(self, name: str) -> bool:
        """Whether `name` has a parameter after a hyphen although the baseline takes none."""
        more = re.fullmatch(rf"{re.escape(self.name)}-[0-9].*", _fold_case(name))
        return more is not None and not self.takes_parameter


@functools.cache
def _pattern(text: str) -> re.Pattern[str]:
    pieces = re.split(r"(\[|\]|[A-Z]+)", text)
    return re.compile("".join(_BRACKETS.get(piece) or _value(piece) for piece in pieces))


def _value(piece: str) -> str:
    if not piece.isupper():
        return re.escape(piece)
    part = Placeholder(piece)
    return f"(?P<{part.name}>{_VALUES[part].pattern})"


def _fold_case(name: str) -> str:
    return name.strip().lower()


def _load(text: str) -> int:
    if not int(text):
        hint = "give a number of requests of at least 1"
        raise QuantityError(QuantityFault.OUT_OF_RANGE, "no load is below 0", hint)
    return int(text)


def _tokens(text: str) -> int:
    if not int(text):
        hint = "give a number of tokens of at least 1, such as 2048"
        raise QuantityError(QuantityFault.OUT_OF_RANGE, "a budget of 0 starts no prompt", hint)
    return int(text)


def _time_us(text: str) -> int:
    time_us = parse_us(text)
    if not time_us:
        raise QuantityError(
            QuantityFault.OUT_OF_RANGE, f"`{text}` must be above 0", "for example `5ms`"
        )
    return time_us


def _frequency_khz(text: str) -> int:
    """Parse a frequency; the case of its unit does not matter."""
    usual = {unit.lower(): unit for unit in FREQUENCY.units}
    unit = text.lstrip("0123456789. ")
    return parse_khz(text.removesuffix(unit) + usual.get(unit, unit))


@dataclass(frozen=True)
class _Value:
    """Pattern and parser of one kind of value."""

    pattern: str
    read: Callable[[str], int]


_BRACKETS = {"[": "(?:", "]": ")?"}
_ANYTHING = "[^<>+-]+"
_VALUES = {
    Placeholder.NUMBER: _Value("[0-9]{1,4}", int),
    Placeholder.LOAD: _Value("[0-9]{1,9}", _load),
    Placeholder.TIME: _Value(_ANYTHING, _time_us),
    Placeholder.BUDGET: _Value("[0-9][^<>+]*", parse_us),
    Placeholder.SHARE: _Value(_ANYTHING, parse_ppm),
    Placeholder.FREQUENCY: _Value(_ANYTHING, _frequency_khz),
    Placeholder.BATCH: _Value(_ANYTHING, _frequency_khz),
    Placeholder.TOKENS: _Value("[0-9]{1,7}", _tokens),
}
