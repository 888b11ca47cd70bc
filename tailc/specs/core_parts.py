"""Spec keys for one type of core, or for one frequency level of cores."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from tailc.specs.cores import PowerUnit
from tailc.specs.cores_fields import (
    FrequencyKhz,
    IdlePowerField,
    PauseUs,
    PowerField,
    PowerQuantity,
)
from tailc.specs.fields import Cell, SpecModel, SpeedupPpm, Text, Whole, or_absent
from tailc.specs.one_of import AtMostOne, OneOf, Stray

MAX_COUNT = 65_536
# Haque et al., MICRO 2017, section 5.4: a migration takes less than 500 us.
MIGRATION_US = 500

Count = Annotated[Whole, Field(ge=1, le=MAX_COUNT)]
Row = dict[str, Cell]
NO_POWER = PowerQuantity(0, PowerUnit.SLOW_CORE)
_NAMED = "Column to value: the row of `table` to use."
_ONE_TELLS = AtMostOne(
    both="and `{}` both define it",
    strays={"power": Stray("and `{}` both define the power", "remove one")},
)


class OwnCore(SpecModel):
    """A core type whose values are in the spec; a missing power comes from `power_from`."""

    speed_ppm: SpeedupPpm | None = Field(
        default=None, alias="speed", examples=[2], description="Speed; only ratios count."
    )
    power: PowerField | None = Field(
        default=None, examples=["2.5W"], description="Power while a request runs."
    )
    idle_power: Annotated[IdlePowerField, or_absent(NO_POWER)] = Field(
        default=NO_POWER,
        description="Power of a free core. Default: 0.",
        json_schema_extra={"default": 0},
    )

    @property
    def own(self) -> OwnCore:
        """The values that the spec itself states for a core type, without those from a table."""
        return self


class CoreOfRow(SpecModel):
    """A type of core defined by a row of `table`; keys of the spec take precedence."""

    row: Row = Field(description=_NAMED)
    speed_ppm: SpeedupPpm | None = Field(
        default=None, alias="speed", description="Speed; that of the row, if absent."
    )
    idle_power: IdlePowerField | None = Field(
        default=None, description="Power of a free core; that of the row, if absent."
    )

    @property
    def own(self) -> OwnCore:
        """The values that the spec itself states for a core type, without those from a table."""
        idle_power = NO_POWER if self.idle_power is None else self.idle_power
        return OwnCore.model_construct(speed_ppm=self.speed_ppm, idle_power=idle_power)

    def fill(self, speed_ppm: int, power: PowerQuantity, idle_power: PowerQuantity) -> OwnCore:
        """Fill in the type's missing values from its row of the table."""
        return OwnCore.model_construct(
            speed_ppm=self.speed_ppm or speed_ppm,
            power=power,
            idle_power=idle_power if self.idle_power is None else self.idle_power,
        )


class CoreTypeSpec(SpecModel):
    """A type of core and its number; missing values come from `power_from` or `table`."""

    name: Text | None = Field(default=None, examples=["little"], description="Name of the type.")
    count: Count = Field(examples=[8], description="Number of cores.")
    values: Annotated[OwnCore | CoreOfRow, OneOf(_ONE_TELLS)] = Field(alias="<values>")
    migration_us: PauseUs = Field(
        default=MIGRATION_US,
        alias="migration",
        description="Time without work when a request moves here.",
        json_schema_extra={"default": "500us"},
    )


class OwnLevel(SpecModel):
    """A level defined in the spec; a missing power comes from `power_from`."""

    speed_ppm: SpeedupPpm | None = Field(
        default=None, alias="speed", description="Speed; only ratios count."
    )
    power: PowerField | None = Field(
        default=None, description="Power while a request runs at this level."
    )

    @property
    def own(self) -> OwnLevel:
        """The values that the spec itself states for a frequency, without those from a table."""
        return self


class LevelOfRow(SpecModel):
    """A level defined by a row of `table`; keys of the spec take precedence."""

    row: Row = Field(description=_NAMED)
    speed_ppm: SpeedupPpm | None = Field(
        default=None, alias="speed", description="Speed; that of the row, if absent."
    )

    @property
    def own(self) -> OwnLevel:
        """The values that the spec itself states for a frequency, without those from a table."""
        return OwnLevel.model_construct(speed_ppm=self.speed_ppm)

    def fill(self, speed_ppm: int, power: PowerQuantity, idle_power: PowerQuantity) -> OwnLevel:  # noqa: ARG002
        """Fill in the level's missing values from its row of the table.

        The power of free cores does not depend on the level.
        """
        return OwnLevel.model_construct(speed_ppm=self.speed_ppm or speed_ppm, power=power)


class LevelSpec(SpecModel):
    """A frequency level; without `speed`, speeds are proportional to frequencies."""

    name: Text | None = Field(default=None, description="Name. Default: the frequency or speed.")
    frequency_khz: FrequencyKhz | None = Field(
        default=None, alias="frequency", examples=["1.7GHz"], description="Its frequency."
    )
    values: Annotated[OwnLevel | LevelOfRow, OneOf(_ONE_TELLS)] = Field(alias="<values>")


CoreValues = OwnCore | CoreOfRow | OwnLevel | LevelOfRow
