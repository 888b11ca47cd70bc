"""Spec keys for the battery of a plan."""

from __future__ import annotations

from pydantic import Field, model_validator

from tailc.errors import Code
from tailc.specs.fields import Complaint, RefusalError, SpecModel
from tailc.specs.plan_units import EnergyMj, PowerMw
from tailc.specs.supply import PartPpm

EFFICIENCY_PPM = 850_000


class BatterySpec(SpecModel):
    """A battery that stores unused green energy and replaces brown energy with it."""

    capacity_mj: EnergyMj = Field(
        alias="capacity", examples=["40kWh"], description="Maximum energy in the battery."
    )
    charge_mw: PowerMw = Field(
        alias="charge", examples=["10kW"], description="Maximum power that charges it."
    )
    discharge_mw: PowerMw = Field(
        alias="discharge", examples=["10kW"], description="Maximum power that it supplies."
    )
    efficiency_ppm: PartPpm = Field(
        default=EFFICIENCY_PPM,
        alias="efficiency",
        description="Stored energy relative to charged energy. It includes all losses.",
        json_schema_extra={"default": "85%"},
    )
    initial_charge_mj: EnergyMj = Field(
        default=0,
        alias="initial_charge",
        description="Energy in the battery at the start.",
        json_schema_extra={"default": "0J"},
    )

    @model_validator(mode="after")
    def _check_room(self) -> BatterySpec:
        if self.capacity_mj == 0:
            message, hint = "must be more than zero", "for example `40kWh`"
            raise RefusalError(Complaint(Code.BAD_VALUE, message, hint, ("capacity",)))
        if self.initial_charge_mj > self.capacity_mj:
            message, hint = (
                "is more than the capacity of the battery",
                "lower it, or raise `capacity`",
            )
            raise RefusalError(
                Complaint(Code.CONFLICT, message, hint, ("initial_charge",), ("capacity",))
            )
        return self
