"""Quantities of plans: energy, its price and CO2, and cost of servers per hour."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from pydantic import BeforeValidator, WithJsonSchema

from tailc.errors import Code
from tailc.specs.fields import Complaint, RefusalError, quantity, quantity_schema, value_text
from tailc.units import DURATION, POWER, Dimension, exact_units

ENERGY = Dimension(
    noun="an energy",
    grid="millijoules",
    units=exact_units({"J": 1_000, "kJ": 10**6, "Wh": 3_600_000, "kWh": 3_600 * 10**6}),
    example="50J",
    likely={"joule": "J", "joules": "J"},
)
PRICE = Dimension(
    noun="a price of energy",
    grid="millionths of a dollar a kWh",
    units=exact_units({"c/kWh": 10_000, "USD/kWh": 10**6, "USD/MWh": 1_000}),
    example="10.55c/kWh",
    likely={"$/kWh": "USD/kWh", "$/MWh": "USD/MWh", "ct/kWh": "c/kWh"},
)
CARBON = Dimension(
    noun="a carbon intensity",
    grid="milligrams a kWh",
    units=exact_units({"g/kWh": 1_000, "kg/MWh": 1_000, "kg/kWh": 10**6}),
    example="384g/kWh",
    likely={"gCO2/kWh": "g/kWh"},
)
FEE = Dimension(
    noun="an amount of money an hour",
    grid="millionths of a dollar an hour",
    units=exact_units({"c/h": 10_000, "USD/h": 10**6}),
    example="29c/h",
    likely={"$/h": "USD/h", "ct/h": "c/h"},
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
