"""Spec keys for the cost of brown energy in a plan."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator

from tailc.errors import Code
from tailc.specs.fields import (
    PERCENT_SCHEMA,
    PPM,
    Complaint,
    RefusalError,
    SpecModel,
    Whole,
    quantity,
    quantity_schema,
    value_text,
)
from tailc.specs.plan_units import PriceUdollars, other_money
from tailc.units import PERCENT, Dimension, exact_units

# A millionth of a dollar for a gram is a dollar for a tonne.
CARBON_PRICE = Dimension(
    noun="a price of CO2",
    grid="millionths of a dollar a gram",
    units=exact_units({"USD/t": 1, "USD/kg": 1_000, "$/t": 1, "$/kg": 1_000}),
    example="80USD/t",
    likely={**other_money("t", "kg"), "usd/tonne": "USD/t", "$/tonne": "$/t"},
    is_money=True,
)
MOST_MONEY = 1_000


def _violations(value: object) -> int:
    ppm = quantity(PERCENT, positive=False)(value)
    if ppm > PPM:
        message = f"must be at most 100 %, not {value_text(value)}"
        raise RefusalError(Complaint(Code.BAD_VALUE, message, "for example `1%`"))
    return ppm


ViolationsPpm = Annotated[int, BeforeValidator(_violations), WithJsonSchema(PERCENT_SCHEMA)]
CarbonUdollars = Annotated[
    int,
    BeforeValidator(quantity(CARBON_PRICE, positive=False)),
    WithJsonSchema(quantity_schema("A price of CO2.", CARBON_PRICE)),
]


class WeightsSpec(SpecModel):
    """Cost of a kWh of brown energy in the objective [dollars]: of its price, energy and CO2."""

    money: Annotated[Whole, Field(ge=0, le=MOST_MONEY)] = Field(
        default=1, description="Weight of the price; 0 ignores it."
    )
    energy: PriceUdollars = Field(
        default=0,
        examples=["5c/kWh"],
        description="Cost of a kWh in addition to its price.",
        json_schema_extra={"default": "0c/kWh"},
    )
    carbon: CarbonUdollars = Field(
        default=0,
        examples=["80USD/t"],
        description="Cost of its CO2.",
        json_schema_extra={"default": "0USD/t"},
    )

    @model_validator(mode="after")
    def _check_one(self) -> WeightsSpec:
        if not (self.money or self.energy or self.carbon):
            message = "are all zero, so brown energy would cost nothing"
            raise RefusalError(Complaint(Code.CONFLICT, message, "for example `{money: 1}`"))
        return self
