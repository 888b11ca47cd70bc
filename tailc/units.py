"""Parse quantities with units exactly into whole numbers, and format them.

`120ms` is 120,000 us, `99.9 %` is 999,000 ppm, `90/min` is 1,500 thousandths of a request per
second. A quantity finer than its grid is refused. Rates per minute and per hour are the exception:
`100/min` is rounded to 1,667, since rounding changes it by less than 0.1 %.
"""

from __future__ import annotations

import enum
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

# Relative change by rounding, for units that are no whole number of grid steps.
_MOST_ROUNDING = Fraction(1, 1_000)
# Of which a short decimal is a whole number.
_SHORT_DECIMAL = 1_000_000
# The largest integer that JSON readers agree on (RFC 8785): every quantity ends in an artifact.
LARGEST = 2**53 - 1
_LONGEST_TEXT = 40
OTHER_CURRENCY = (
    "; if all amounts of the spec are in the same other currency, write them as dollars"
)

# A plain decimal number, then a unit that begins with a letter, `%`, `/` or `$`, not as `e3` does.
_QUANTITY = re.compile(
    r"\s*([0-9]+(?:\.[0-9]+)?|\.[0-9]+)"
    r"\s*((?![eE][0-9+-])[^\W\d_].*?|[%/$].*?|)\s*",
)


class QuantityFault(enum.Enum):
    """Reason why a text is not a valid quantity."""

    NO_UNIT = "no unit"
    WRONG_UNIT = "wrong unit"
    NOT_A_QUANTITY = "not a quantity"
    TOO_FINE = "finer than the grid"
    OUT_OF_RANGE = "out of range"


class QuantityError(ValueError):
    """A text is not a valid quantity: the reason, a message, and advice."""

    def __init__(self, fault: QuantityFault, message: str, help: str) -> None:  # noqa: A002 - as in Finding
        self.fault = fault
        self.message = message
        self.help = help
        super().__init__(message)


@dataclass(frozen=True)
class Dimension:
    """A kind of quantity in specs, such as time: its name, its units in grid steps, an example.

    A grid step is the smallest amount that is stored. `likely` maps a unit that people write by
    mistake to the one they probably mean. `smaller` is advice for a value below one grid step,
    where the nearest value can be far from it. `usual`: the largest usual value in grid steps,
    above which a number is likely in a smaller unit. is_money: whether amounts in another currency
    may be written as dollars.
    """

    noun: str
    grid: str
    units: Mapping[str, Fraction]
    example: str
    likely: Mapping[str, str]
    smaller: str = ""
    usual: int | None = None
    is_money: bool = False

    @property
    def pattern(self) -> str:
        """A regular expression of the accepted texts, for editors."""
        units = "|".join(re.escape(unit).replace("/", "\\/") for unit in self.units)
        return rf"^\s*([0-9]+(\.[0-9]+)?|\.[0-9]+)\s*({units})\s*$"


def exact_units(steps: Mapping[str, int | Fraction]) -> Mapping[str, Fraction]:
    """Convert units to exact numbers of grid steps for a `Dimension`.

    A grid step is the smallest amount that is stored.
    """
    return {unit: Fraction(count) for unit, count in steps.items()}


_SECONDS = ("sec", "secs", "second", "seconds")
_PER_SECOND = ("rps", "qps", "req/s", "requests/s", "/sec", "per second", "hz")

DURATION = Dimension(
    noun="a duration",
    grid="microseconds",
    units=exact_units({"us": 1, "ms": 1_000, "s": 10**6, "min": 60 * 10**6, "h": 3_600 * 10**6}),
    example="120ms",
    likely={
        **dict.fromkeys(_SECONDS, "s"),
        **dict.fromkeys(("msec", "millis", "milliseconds"), "ms"),
        **dict.fromkeys(("\N{GREEK SMALL LETTER MU}s", "usec", "microseconds"), "us"),
        **dict.fromkeys(("m", "mins", "minute", "minutes"), "min"),
        **dict.fromkeys(("hr", "hrs", "hour", "hours"), "h"),
    },
)
PERCENT = Dimension(
    noun="a percentage",
    grid="millionths",
    units=exact_units({"%": 10_000}),
    example="99%",
    likely={"percent": "%", "pct": "%", "ppm": "%"},
)
RATE = Dimension(
    noun="a rate",
    grid="thousandths of a request per second",
    units=exact_units({"/s": 1_000, "/min": Fraction(1_000, 60), "/h": Fraction(1_000, 3_600)}),
    example="30/s",
    likely={**dict.fromkeys(_PER_SECOND, "/s"), "/m": "/min", "rpm": "/min", "/hour": "/h"},
    smaller=(
        "; use it if requests take seconds, since at either rate they hardly ever overlap, or else "
        "divide all times by 1,000 and multiply all rates by 1,000"
    ),
)
FREQUENCY = Dimension(
    noun="a frequency",
    grid="kHz",
    units=exact_units({"kHz": 1, "MHz": 1_000, "GHz": 10**6}),
    example="2.4GHz",
    likely={"k": "kHz", "m": "MHz", "g": "GHz"},
    usual=20 * 10**6,
)
POWER = Dimension(
    noun="a power",
    grid="milliwatts",
    units=exact_units({"mW": 1, "W": 1_000, "kW": 10**6, "MW": 10**9}),
    example="250W",
    likely={"watt": "W", "watts": "W"},
)
ENERGY = Dimension(
    noun="an energy",
    grid="nanojoules",
    units=exact_units({"nJ": 1, "uJ": 1_000, "mJ": 10**6, "J": 10**9}),
    example="5uJ",
    likely={
        **dict.fromkeys(("\N{GREEK SMALL LETTER MU}J", "microjoule", "microjoules"), "uJ"),
        **dict.fromkeys(("joule", "joules"), "J"),
    },
)
COUNT = Dimension(
    noun="a number of requests",
    grid="requests",
    units=exact_units({"requests": 1, "request": 1}),
    example="2000 requests",
    likely={"req": "requests", "reqs": "requests"},
)


def parse_us(text: str) -> int:
    """Parse a duration such as `120ms`, `0.5s` or `2min` to microseconds."""
    return parse(text, DURATION)


def parse_ppm(text: str) -> int:
    """Parse a percentage such as `99.9%` to millionths."""
    return parse(text, PERCENT)


def parse_mrps(text: str) -> int:
    """Parse a rate such as `30/s` or `90/min` to thousandths of a request per second."""
    return parse(text, RATE)


def parse_khz(text: str) -> int:
    """Parse a frequency such as `2.4GHz` to kHz."""
    return parse(text, FREQUENCY)


def parse_mw(text: str) -> int:
    """Parse a power such as `250W` to milliwatts."""
    return parse(text, POWER)


def parse(text: str, *dimensions: Dimension) -> int:
    """Parse a quantity to grid steps of the first of `dimensions` that has its unit.

    Raises QuantityError for anything but a plain decimal number and a unit: signs, exponents and
    digit separators are not read. A value between two grid steps is refused. Only in a unit that is
    itself no whole number of steps is it rounded, if that changes it by 0.1 % at most.
    """
    amount, unit = _split_unit(text, dimensions)
    for dimension in dimensions:
        if unit in dimension.units:
            return _on_grid(text, amount, unit, dimension)
    if not unit:
        raise _no_unit(text, amount, dimensions)
    raise _wrong_unit(text, amount, unit, dimensions)


def _split_unit(text: str, dimensions: tuple[Dimension, ...]) -> tuple[Fraction, str]:
    match = _QUANTITY.fullmatch(text) if len(text) <= _LONGEST_TEXT else None
    if match is None:
        examples = " or ".join(f"`{dimension.example}`" for dimension in dimensions)
        message = f"`{shorten(text)}` is not {_nouns(dimensions)}"
        raise QuantityError(QuantityFault.NOT_A_QUANTITY, message, f"for example {examples}")
    return Fraction(match[1]), match[2]


def _on_grid(text: str, amount: Fraction, unit: str, dimension: Dimension) -> int:
    steps = amount * dimension.units[unit]
    if steps > LARGEST:
        most = int(LARGEST / dimension.units[unit])
        raise QuantityError(
            QuantityFault.OUT_OF_RANGE, f"`{text}` is too large", f"at most `{most}{unit}`"
        )
    is_on_grid = dimension.units[unit].denominator == 1
    most_rounding = 0 if is_on_grid else steps * _MOST_ROUNDING
    if abs(round(steps) - steps) > most_rounding:
        nearest = _nearest(max(1, round(steps)), unit, dimension)
        message = f"`{text}` is not a whole number of {dimension.grid}"
        hint = f"the nearest is `{nearest}`"
        if steps < 1:
            message = f"`{text}` is below the smallest value, `{nearest}`"
            hint += dimension.smaller
        raise QuantityError(QuantityFault.TOO_FINE, message, hint)
    return round(steps)


def _nearest(steps: int, unit: str, dimension: Dimension) -> str:
    """Grid steps as text in the given unit, or in the first one that gives a short decimal."""
    for each in (unit, next(iter(dimension.units))):
        value = Fraction(steps) / dimension.units[each]
        if (value * _SHORT_DECIMAL).denominator == 1:
            break
    return f"{_plain(value)}{each}"


def _no_unit(text: str, amount: Fraction, dimensions: tuple[Dimension, ...]) -> QuantityError:
    written = [_with_unit(amount, dimension) for dimension in dimensions]
    suggested = " or ".join(f"`{each}`" for each in written if each is not None)
    return QuantityError(
        QuantityFault.NO_UNIT,
        f"`{text}` has no unit",
        (f"write {suggested}, say; " if suggested else "") + _listing(dimensions),
    )


def _with_unit(amount: Fraction, dimension: Dimension) -> str | None:
    """The number with the unit of the example, or with the largest one in which it is usual; a
    share such as 0.99 as a percentage. None if it is usual in no unit."""
    meant = amount * 100 if dimension is PERCENT and amount < 1 else amount
    unit: str | None = dimension.example.lstrip("0123456789.")
    if dimension.usual is not None:
        largest_first = sorted(dimension.units.items(), key=lambda one: one[1], reverse=True)
        usual = dimension.usual
        unit = next((name for name, steps in largest_first if amount * steps <= usual), None)
    return None if unit is None else _plain(meant) + unit


def _wrong_unit(
    text: str, amount: Fraction, unit: str, dimensions: tuple[Dimension, ...]
) -> QuantityError:
    meant = _similar_unit(unit, dimensions)
    listing = _listing(dimensions)
    if meant:
        listing = f"did you mean `{_plain(amount)}{meant}`? U{listing[1:]}"
        if any(dimension.is_money for dimension in dimensions):
            listing += OTHER_CURRENCY
    return QuantityError(
        QuantityFault.WRONG_UNIT,
        f"`{shorten(unit)}` in `{shorten(text)}` is not a unit of {_nouns(dimensions)}",
        listing,
    )


def _similar_unit(unit: str, dimensions: tuple[Dimension, ...]) -> str | None:
    folded = unit.casefold()
    for dimension in dimensions:
        known = {name.casefold(): name for name in dimension.units}
        if meant := dimension.likely.get(folded) or known.get(folded):
            return meant
    return None


def _nouns(dimensions: tuple[Dimension, ...]) -> str:
    return " or ".join(dimension.noun for dimension in dimensions)


def _listing(dimensions: tuple[Dimension, ...]) -> str:
    units = (f"`{unit}`" for dimension in dimensions for unit in dimension.units)
    return "units: " + ", ".join(units)


def printable(text: str) -> str:
    """Return the text on one line, with control characters of terminals escaped."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in text)


def shorten(text: str, limit: int = _LONGEST_TEXT) -> str:
    """Return the text on one printable line, cut to at most `limit` characters with an ellipsis."""
    shown = printable(text)
    return shown if len(shown) <= limit else shown[: limit - 3] + "..."


def plural(count: float, noun: str) -> str:
    """Format a number of things, such as `1 epoch` or `25 epochs`."""
    return f"{count:.12g} {noun}{'' if count == 1 else 's'}"


def number_text(value: float | Decimal) -> str:
    """Format a number of a spec or trace canonically: `2` for 2 and 2.0.

    A whole number is its digits, any other the shortest decimal of its float64, such as `1.5`.
    """
    if isinstance(value, int):
        return str(value)
    whole = math.isfinite(value) and value == int(value)
    return str(int(value)) if whole else repr(float(value))


def digits_text(value: float, digits: int) -> str:
    """Format a value, rounded to a number of significant digits, as a plain decimal."""
    text = f"{value:.{digits}g}"
    return f"{Decimal(text):,f}" if "e" in text else text


def format_us(value_us: int) -> str:
    """Format a duration exactly, in the largest of us, ms and s that is not above it: `1.5 ms`."""
    return _scale_text(value_us, (("us", 1), ("ms", 1_000), ("s", 1_000_000)))


def format_s(value_s: int) -> str:
    """Format whole seconds as in a spec, in the largest unit that gives a whole number: `15min`."""
    unit, steps = next(
        pair for pair in (("h", 3_600), ("min", 60), ("s", 1)) if value_s % pair[1] == 0
    )
    return f"{value_s // steps}{unit}"


def format_ppm(value_ppm: int) -> str:
    """Format millionths as a percentage, exactly: `99.9 %`."""
    return _scale_text(value_ppm, (("%", 10_000),))


def format_percentile(percentile_ppm: int) -> str:
    """Format a percentile in millionths, such as `p99.9`."""
    return f"p{plain_ppm(100 * percentile_ppm)}"


def plain_ppm(value_ppm: int) -> str:
    """Format millionths as a plain decimal number, exactly: `1.59`."""
    return _plain(Fraction(value_ppm, 1_000_000))


def format_mrps(value_mrps: int) -> str:
    """Format a rate per second, exactly: `1.5/s`."""
    return _plain(Fraction(value_mrps, 1_000)) + "/s"


def format_khz(value_khz: int) -> str:
    """Format a frequency exactly, in the largest unit that is not above it: `2.4 GHz`."""
    return _scale_text(value_khz, (("kHz", 1), ("MHz", 1_000), ("GHz", 1_000_000)))


def format_mw(value_mw: int) -> str:
    """Format a power exactly, in the largest unit that is not above it: `250 W`."""
    return _scale_text(value_mw, (("mW", 1), ("W", 1_000), ("kW", 1_000_000)))


def format_nj(value_nj: int) -> str:
    """Format an energy exactly, in the largest unit that is not above it: `5 uJ`."""
    return _scale_text(
        value_nj, (("nJ", 1), ("uJ", 1_000), ("mJ", 1_000_000), ("J", 1_000_000_000))
    )


def _scale_text(value: int, units: tuple[tuple[str, int], ...]) -> str:
    reached = [(unit, steps) for unit, steps in units if abs(value) >= steps]
    unit, steps = reached[-1] if reached else units[0]
    return f"{_plain(Fraction(value, steps))} {unit}"


def _plain(value: Fraction) -> str:
    """A fraction whose denominator divides a power of ten, as a plain decimal."""
    digits = 0
    while (value * 10**digits).denominator != 1:
        digits += 1
    whole = abs(int(value * 10**digits))
    sign = "-" if value < 0 else ""
    text = f"{whole:0{digits + 1}d}"
    return sign + (f"{text[:-digits]}.{text[-digits:]}" if digits else text)
