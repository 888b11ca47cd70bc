"""Quantities of plans: energy, its price and CO2, and cost of servers per hour."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Annotated

from pydantic import BeforeValidator, WithJsonSchema

from tailc.errors import Code
from tailc.specs.fields import Complaint, RefusalError, quantity, quantity_schema, value_text
from tailc.units import DURATION, POWER, Dimension, exact_units

UDOLLARS = 1_000_000
UDOLLARS_A_CENT = 10_000
# Symbols that people write for dollars and cents, and other currencies, by what they likely mean.
_LIKELY_MONEY = {"ct": "c", "cent": "c", "cents": "c", "eur": "USD", "\N{EURO SIGN}": "USD"}


def money_units(parts: Mapping[str, int], cents_a: str) -> Mapping[str, Fraction]:
    """Units of a price such as `c/kWh` and `USD/MWh`, with their size in 1e-6 dollars.

    The price is per smallest unit of a quantity. parts: units that a price can be for, such as
    `kWh`, with the number of smallest units in each. cents_a: the unit to use with cents.
    """
    units = {f"c/{cents_a}": Fraction(UDOLLARS_A_CENT)}
    for dollar in ("USD", "$"):
        units |= {f"{dollar}/{part}": Fraction(UDOLLARS, count) for part, count in parts.items()}
    return units


def other_money(*parts: str) -> Mapping[str, str]:
    """The unit that a user likely means by another notation of a price, such as `ct/kwh`.

    Returns the units by notation in lower case. parts: units that a price can be for, the unit to
    use with cents first.
    """
    return {
        f"{symbol}/{part.casefold()}": f"{meant}/{parts[0] if meant == 'c' else part}"
        for symbol, meant in _LIKELY_MONEY.items()
        for part in parts
    }


ENERGY = Dimension(
    noun="an energy",
    grid="millijoules",
    units=exact_units(
        {"J": 1_000, "kJ": 10**6, "Wh": 3_600_000, "kWh": 3_600 * 10**6, "MWh": 3_600 * 10**9}
    ),
    example="50J",
    likely={"joule": "J", "joules": "J"},
)
PRICE = Dimension(
    noun="a price of energy",
    grid="millionths of a dollar a kWh",
    units=money_units({"kWh": 1, "MWh": 1_000}, cents_a="kWh"),
    example="10.55c/kWh",
    likely=other_money("kWh", "MWh"),
    is_money=True,
)
CARBON = Dimension(
    noun="a carbon intensity",
    grid="milligrams a kWh",
    units=exact_units({"g/kWh": 1_000, "kg/MWh": 1_000, "kg/kWh": 10**6}),
    example="384g/kWh",
    likely={"gco2/kwh": "g/kWh", "gco2eq/kwh": "g/kWh"},
)
FEE = Dimension(
    noun="an amount of money an hour",
    grid="millionths of a dollar an hour",
    units=money_units({"h": 1}, cents_a="h"),
    example="29c/h",
    likely=other_money("h"),
    is_money=True,
)
# The same units, for times of epochs and days.
LONG_DURATION = replace(DURATION, example="15min")
US_PER_S = 1_000_000


def _seconds(value: object) -> int:
    return _whole_seconds(value, positive=True)


def _lead_seconds(value: object) -> int:
    return _whole_seconds(value, positive=False)


def _whole_seconds(value: object, *, positive: bool) -> int:
    us = quantity(LONG_DURATION, positive=positive)(value)
    if us % US_PER_S:
        message = f"must be whole seconds, not {value_text(value)}"
        raise RefusalError(Complaint(Code.BAD_VALUE, message, "for example `15min`"))
    return us // US_PER_S


def _field(dimension: Dimension, description: str) -> WithJsonSchema:
    return WithJsonSchema(quantity_schema(description, dimension))


EnergyMj = Annotated[
    int, BeforeValidator(quantity(ENERGY, positive=False)), _field(ENERGY, "An energy.")
]
PriceUdollars = Annotated[
    int, BeforeValidator(quantity(PRICE, positive=False)), _field(PRICE, "A price of energy.")
]
CarbonMg = Annotated[
    int, BeforeValidator(quantity(CARBON, positive=False)), _field(CARBON, "CO2 of energy.")
]
FeeUdollars = Annotated[
    int, BeforeValidator(quantity(FEE, positive=False)), _field(FEE, "Money by the hour.")
]
PowerMw = Annotated[int, BeforeValidator(quantity(POWER)), _field(POWER, "A power.")]
SleepMw = Annotated[
    int, BeforeValidator(quantity(POWER, positive=False)), _field(POWER, "A power.")
]
Seconds = Annotated[
    int, BeforeValidator(_seconds), _field(LONG_DURATION, "Whole seconds, with a unit.")
]
LeadSeconds = Annotated[
    int,
    BeforeValidator(_lead_seconds),
    _field(LONG_DURATION, "Whole seconds, with a unit; may be 0s."),
]
