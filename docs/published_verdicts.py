"""Verdicts on published figures, computed from the texts of two cells: the paper's figure and ours.

A cell is a list of figures, such as `-33 %`, `2.30 ± 0.03`, `1.1 (0.9 to 1.2) %`, `4 to 6 h` or
`28, 31, 40 %`; words around them are skipped. Figures of ours beyond those of the paper, and
everything after a semicolon, are extras, which the verdict does not compare. A few words count:
`below`, `within` and `above` make a published figure a bound, `up to` and `at most` the greatest of
several; `higher`, `lower` and `as Baseline` state a direction without a size.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from enum import IntEnum

# What counts as near: a fifth of the published figure.
TOLERANCE = Decimal("0.2")
# A figure in few digits, such as 2, still has to be met this closely.
MOST_ROUNDING = Decimal("0.05")

# In percent: rounds to 0.
NO_CHANGE = Decimal("0.5")
_DIRECTIONS = {"higher": 1, "lower": -1, "as Baseline": 0}

_NUMBER = r"[-+]?\d+(?:,\d{3})*(?:\.\d+)?"
_FIGURE = re.compile(
    rf"(?P<first>{_NUMBER})(?: to (?P<last>{_NUMBER}))?(?: ± (?P<half>{_NUMBER}))?"
    rf"(?: ?%)?(?: \((?P<low>{_NUMBER}) to (?P<high>{_NUMBER})(?: %)?\))?(?: (?P<unit>h|s|ms)\b)?"
)
_BOUND = re.compile(r"(below|within|above) ")
_GREATEST = re.compile(r"\b(up to|at most)\b")
_LABEL = re.compile(r"\d+:\d+:")
_SECONDS = {None: Decimal(1), "h": Decimal(3600), "s": Decimal(1), "ms": Decimal("0.001")}


class Verdict(IntEnum):
    """How a figure of ours compares with a published one, from best to worst."""

    YES = 0
    NEAR = 1
    DIRECTION = 2
    MORE = 3
    LESS = 4
    NO = 5


@dataclass(frozen=True)
class Value:
    """A number, the 95 % interval around it, and by how much another may round to it."""

    number: Decimal
    low: Decimal
    high: Decimal
    rounding: Decimal


@dataclass(frozen=True)
class Figure:
    """A range of values; one value is a range whose ends are the same."""

    first: Value
    last: Value


def verdict(
    published: str, ours: str, neutral: Decimal | None = None, tolerance: Decimal = TOLERANCE
) -> str:
    """The verdict on `ours`, or one for each published figure where they differ.

    neutral: the figure of no effect (0 for a change, 1 for a ratio); None for an amount. Figures
    with a sign are changes anyway. ValueError where a cell has no figure to compare.
    """
    if _is_change(published):
        neutral = Decimal(0)
    each = [one.name.lower() for one in _verdicts(published, ours, neutral, tolerance)]
    return each[0] if len(set(each)) == 1 else ", ".join(each)


def extras(published: str, ours: str) -> list[str]:
    """The parts of `ours` that its verdict does not compare, in their order."""
    first, *others = ours.split("; ")
    first = _LABEL.sub("", first)
    compared = list(_FIGURE.finditer(first))[: _number_compared(published)]
    more = first[compared[-1].end() :].partition(", ")[2]
    return [part for part in (more, *others) if part]


def _number_compared(published: str) -> int | None:
    """How many figures of ours a verdict compares; None: all."""
    if published in _DIRECTIONS:
        return 1
    claimed = len(_figures(published))
    is_of_all = _BOUND.match(published) or (_GREATEST.search(published) and claimed == 1)
    return None if is_of_all else claimed


def _is_change(published: str) -> bool:
    return published in _DIRECTIONS or re.search(r"[-+]\d", published) is not None


def _verdicts(
    published: str, ours: str, neutral: Decimal | None, tolerance: Decimal
) -> Iterator[Verdict]:
    measured = _figures(ours)
    if published in _DIRECTIONS:
        yield _of_direction(_DIRECTIONS[published], measured[0])
    elif bound := _BOUND.match(published):
        limit = _figures(published)[0].first.number
        sign = -1 if bound[1] == "above" else 1
        yield max(_of_bound(sign * limit, one, sign, tolerance, neutral) for one in measured)
    else:
        claimed = _figures(published)
        is_greatest = _GREATEST.search(published) is not None
        if len(measured) < len(claimed):
            raise ValueError(f"`{ours}` has fewer figures than the published `{published}`")
        if is_greatest and len(claimed) == 1:
            measured = [max(measured, key=lambda one: one.last.number)]
        for one, found in zip(claimed, measured, strict=False):
            of = Figure(found.last, found.last) if is_greatest else found
            yield _of_figures(one, of, neutral, tolerance)


def _of_direction(sign: int, ours: Figure) -> Verdict:
    low, high = ours.first.low, ours.last.high
    is_so = min(sign * low, sign * high) > 0 if sign else abs(ours.first.number) <= NO_CHANGE
    return Verdict.YES if is_so else Verdict.NO


def _of_bound(
    limit: Decimal, ours: Figure, sign: int, tolerance: Decimal, neutral: Decimal | None
) -> Verdict:
    """Of a figure that is at most `limit`; with sign -1 both are negated."""
    excess = max(sign * ours.first.number, sign * ours.last.number) - limit
    if excess <= 0:
        return Verdict.YES
    if excess <= tolerance * abs(limit):
        return Verdict.NEAR
    if neutral is not None:
        return Verdict.NO
    return Verdict.MORE if sign > 0 else Verdict.LESS


def _of_figures(
    published: Figure, ours: Figure, neutral: Decimal | None, tolerance: Decimal
) -> Verdict:
    """The worse verdict on two ends; a value of ours within a published range is as published."""
    ends = [(published.first, ours.first), (published.last, ours.last)]
    if ours.first == ours.last:
        if published.first.number <= ours.first.number <= published.last.number:
            return Verdict.YES
        is_below = ours.first.number < published.first.number
        ends = [ends[0] if is_below else ends[1]]
    return max(_of_values(one, found, neutral, tolerance) for one, found in ends)


def _of_values(
    published: Value, ours: Value, neutral: Decimal | None, tolerance: Decimal
) -> Verdict:
    distance = abs(ours.number - published.number)
    if ours.low <= published.number <= ours.high or distance <= published.rounding:
        return Verdict.YES
    has_effect = neutral is not None and published.number != neutral
    if has_effect and not _is_on_same_side(published, ours, neutral):
        return Verdict.NO
    if distance <= tolerance * abs(published.number):
        return Verdict.NEAR
    if neutral is None:
        return Verdict.MORE if ours.number > published.number else Verdict.LESS
    return Verdict.DIRECTION if has_effect else Verdict.NO


def _is_on_same_side(published: Value, ours: Value, neutral: Decimal) -> bool:
    """Whether all of the interval of ours is on the published side of no effect."""
    side = published.number - neutral
    return min(side * (ours.low - neutral), side * (ours.high - neutral)) > 0


def _figures(cell: str) -> list[Figure]:
    text = _LABEL.sub("", cell.partition(";")[0])
    found = [_figure(match) for match in _FIGURE.finditer(text)]
    if not found:
        raise ValueError(f"no figure in `{cell}`")
    return found


def _figure(match: re.Match[str]) -> Figure:
    unit = _SECONDS[match["unit"]]
    first = _value(match["first"], unit, match)
    last = first if match["last"] is None else _value(match["last"], unit, match)
    return Figure(first, last)


def _value(text: str, unit: Decimal, match: re.Match[str]) -> Value:
    number = Decimal(text.replace(",", ""))
    half = Decimal(match["half"] or 0)
    low, high = number - half, number + half
    if match["low"] is not None:
        low, high = Decimal(match["low"]), Decimal(match["high"])
    return Value(number * unit, low * unit, high * unit, _rounding(number) * unit)


def _rounding(number: Decimal) -> Decimal:
    """Half a unit of the last digit, but at most a twentieth of the number, unless that is 0."""
    half = Decimal(1).scaleb(-len(str(number).partition(".")[2])) / 2
    return min(half, MOST_ROUNDING * abs(number)) if number else half
