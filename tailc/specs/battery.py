"""What a user writes of a battery beside the servers of a plan."""

from __future__ import annotations

from pydantic import Field, model_validator

from tailc.errors import Code
from tailc.specs.fields import Complaint, RefusalError, SpecModel
from tailc.specs.plan_units import EnergyMj, PowerMw
from tailc.specs.supply import PartPpm

KEPT_PPM = 850_000


class BatterySpec(SpecModel):
    """Stores green energy that is left, and gives it where brown energy would be drawn."""

    capacity_mj: EnergyMj = Field(
        alias="capacity", examples=["40kWh"], description="The most that it holds."
    )
    charge_mw: PowerMw = Field(
        alias="charge", examples=["10kW"], description="The most power that it draws."
    )
    discharge_mw: PowerMw = Field(
        alias="discharge", examples=["10kW"], description="The most power that it gives."
    )
    kept_ppm: PartPpm = Field(
        default=KEPT_PPM,
        alias="kept",
        description="What is stored of what is charged; all losses are counted there.",
        json_schema_extra={"default": "85%"},
    )
    first_mj: EnergyMj = Field(
        default=0,
        alias="first",
        description="What it holds at the start.",
        json_schema_extra={"default": "0J"},
    )

    @model_validator(mode="after")
    def _check_room(self) -> BatterySpec:
        if self.capacity_mj == 0:
            message, hint = "must be more than zero", "for example `40kWh`"
            raise RefusalError(Complaint(Code.BAD_VALUE, message, hint, ("capacity",)))
        if self.first_mj > self.capacity_mj:
            message, hint = "is more than the battery holds", "lower it, or raise `capacity`"
            raise RefusalError(Complaint(Code.CONFLICT, message, hint, ("first",), ("capacity",)))
        return self
