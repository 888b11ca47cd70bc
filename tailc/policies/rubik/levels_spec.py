"""Spec keys for frequencies, and for the power of a core at each."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator

from tailc.errors import Code
from tailc.forms.tail_table import LARGEST_FREQUENCY_KHZ, Level
from tailc.policies.rubik.levels import power_mw
from tailc.specs.cores_fields import FrequencyKhz
from tailc.specs.fields import (
    Cell,
    Complaint,
    RefusalError,
    SpecModel,
    Text,
    quantity,
    quantity_schema,
)
from tailc.units import ENERGY, POWER, format_khz

MAX_LEVELS = 1_024
AT_MOST = f"the largest frequency is {format_khz(LARGEST_FREQUENCY_KHZ)}"

PowerMw = Annotated[
    int,
    BeforeValidator(quantity(POWER)),
    WithJsonSchema(quantity_schema("A power with its unit.", POWER)),
]
RestingPowerMw = Annotated[
    int,
    BeforeValidator(quantity(POWER, positive=False)),
    WithJsonSchema(quantity_schema("A power with its unit; it may be 0.", POWER)),
]
EnergyNj = Annotated[
    int,
    BeforeValidator(quantity(ENERGY, positive=False)),
    WithJsonSchema(quantity_schema("An energy with its unit; it may be 0.", ENERGY)),
]


class LevelPowerSpec(SpecModel):
    """A frequency, and the power of a core that serves a request at it."""

    frequency_khz: FrequencyKhz = Field(alias="frequency", examples=["2.4GHz"])
    power_mw: PowerMw | None = Field(
        default=None,
        alias="power",
        examples=["6.5W"],
        description="Power of a core with a request at this frequency. Default: from "
        "`server.model`.",
    )

    @property
    def level(self) -> Level:
        """Convert to a level of a tail table; the power must be known."""
        assert self.power_mw is not None
        return Level(self.frequency_khz, self.power_mw)


class PowerSpec(SpecModel):
    """Power by frequency f: static, and dynamic as V^2 f with the voltage of a Haswell core."""

    static_mw: RestingPowerMw = Field(
        alias="static", examples=["0.5W"], description="Power of a busy core at any frequency."
    )
    dynamic_mw: PowerMw = Field(
        alias="dynamic", examples=["6W"], description="Further power at the frequency `at`."
    )
    at_khz: FrequencyKhz = Field(
        alias="at",
        examples=["2.4GHz"],
        description="The frequency of the measured power `dynamic`.",
    )

    def power_mw(self, frequency_khz: int) -> int:
        """Power of a core at a frequency [mW]."""
        return power_mw(
            frequency_khz,
            static_mw=self.static_mw,
            dynamic_mw=self.dynamic_mw,
            nominal_khz=self.at_khz,
        )


class RangeSpec(SpecModel):
    """Frequencies in equal steps, and a model of their powers."""

    first_khz: FrequencyKhz = Field(
        alias="from", examples=["0.8GHz"], description="Lowest frequency."
    )
    last_khz: FrequencyKhz = Field(
        alias="to", examples=["3.4GHz"], description="Highest frequency."
    )
    step_khz: FrequencyKhz = Field(
        alias="step",
        examples=["0.2GHz"],
        description="Difference between neighbouring frequencies.",
    )
    power: PowerSpec | None = Field(
        default=None, description="Power of a core at each frequency. Default: from `server.model`."
    )

    @model_validator(mode="after")
    def _check_steps(self) -> RangeSpec:
        complaints = [*self._order(), *self._count()]
        if complaints:
            raise RefusalError(*complaints)
        return self

    def _order(self) -> list[Complaint]:
        if self.last_khz < self.first_khz:
            message = f"is below the lowest frequency, {format_khz(self.first_khz)}"
            return [Complaint(Code.CONFLICT, message, "swap `from` and `to`", ("to",), ("from",))]
        if (self.last_khz - self.first_khz) % self.step_khz:
            message = "is not a whole number of steps above the lowest frequency"
            return [
                Complaint(
                    Code.CONFLICT,
                    message,
                    "set `step` to a divisor of the range `from` to `to`",
                    ("to",),
                    ("step",),
                )
            ]
        return []

    def _count(self) -> list[Complaint]:
        if self.last_khz > LARGEST_FREQUENCY_KHZ:
            return [Complaint(Code.BAD_VALUE, "is above the limit", AT_MOST, ("to",))]
        if (self.last_khz - self.first_khz) // self.step_khz >= MAX_LEVELS:
            message = f"makes more than {MAX_LEVELS:,} frequencies"
            return [Complaint(Code.BAD_VALUE, message, "use larger steps", ("step",))]
        return []

    @property
    def frequencies_khz(self) -> tuple[int, ...]:
        """All frequencies of the range, ascending."""
        return tuple(range(self.first_khz, self.last_khz + 1, self.step_khz))

    @property
    def levels(self) -> tuple[Level, ...]:
        """All frequencies of the range with their powers; `power` must be known."""
        assert self.power is not None
        return tuple(Level(khz, self.power.power_mw(khz)) for khz in self.frequencies_khz)


class LevelTableSpec(SpecModel):
    """Columns of a file of measured frequencies and powers: CSV, NDJSON or Parquet."""

    file: Text = Field(
        examples=["levels.csv"], description="Path of the file, relative to the spec."
    )
    frequency: Text = Field(examples=["freq_khz"], description="Column with the frequency.")
    frequency_unit: Literal["kHz", "MHz", "GHz"] = Field(description="Unit of the frequencies.")
    power: Text = Field(examples=["power_mw"], description="Column with the power at work.")
    power_unit: Literal["mW", "W"] = Field(description="Unit of the powers.")
    where: dict[str, Cell] = Field(
        default_factory=dict, description="Use the rows whose column equals the value."
    )
