"""What a user writes of a server whose cores change their frequency one by one."""

from __future__ import annotations

import itertools
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator

from tailc.errors import Code
from tailc.forms.tail_table import LARGEST_FREQUENCY_KHZ, Level
from tailc.policies.rubik.levels import power_mw
from tailc.specs.cores_fields import FrequencyKhz, PauseUs
from tailc.specs.fields import (
    Cell,
    Complaint,
    RefusalError,
    SpecModel,
    Text,
    Whole,
    quantity,
    quantity_schema,
)
from tailc.units import POWER, format_khz, format_mw

MAX_CORES = 65_536
MAX_LEVELS = 1_024
# Those of a chip with a limit: its throttling is told core by core.
MAX_LIMITED_CORES = 256
_AT_MOST = f"at most {format_khz(LARGEST_FREQUENCY_KHZ)} can be told"

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


class LevelSpec(SpecModel):
    """A frequency, and what a core draws at it while it serves a request."""

    frequency_khz: FrequencyKhz = Field(alias="frequency", examples=["2.4GHz"])
    power_mw: PowerMw = Field(alias="power", examples=["6.5W"])

    @property
    def level(self) -> Level:
        """The same as a table carries it."""
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
        alias="at", examples=["2.4GHz"], description="The frequency that `dynamic` is drawn at."
    )

    def power_mw(self, frequency_khz: int) -> int:
        """What a core draws at a frequency."""
        return power_mw(
            frequency_khz,
            static_mw=self.static_mw,
            dynamic_mw=self.dynamic_mw,
            nominal_khz=self.at_khz,
        )


class RangeSpec(SpecModel):
    """Frequencies in equal steps, and a model of their powers."""

    first_khz: FrequencyKhz = Field(alias="from", examples=["0.8GHz"], description="The lowest.")
    last_khz: FrequencyKhz = Field(alias="to", examples=["3.4GHz"], description="The highest.")
    step_khz: FrequencyKhz = Field(
        alias="step", examples=["0.2GHz"], description="From one to the next."
    )
    power: PowerSpec = Field(description="What a core draws at each.")

    @model_validator(mode="after")
    def _check_steps(self) -> RangeSpec:
        complaints = [*self._order(), *self._count()]
        if complaints:
            raise RefusalError(*complaints)
        return self

    def _order(self) -> list[Complaint]:
        if self.last_khz < self.first_khz:
            message = f"is below the lowest frequency, {format_khz(self.first_khz)}"
            return [Complaint(Code.CONFLICT, message, "swap them", ("to",), ("from",))]
        if (self.last_khz - self.first_khz) % self.step_khz:
            message = "is no whole number of steps above the lowest frequency"
            return [Complaint(Code.CONFLICT, message, "change the step", ("to",), ("step",))]
        return []

    def _count(self) -> list[Complaint]:
        if self.last_khz > LARGEST_FREQUENCY_KHZ:
            return [Complaint(Code.BAD_VALUE, "is beyond what a table holds", _AT_MOST, ("to",))]
        if (self.last_khz - self.first_khz) // self.step_khz >= MAX_LEVELS:
            message = f"makes more than {MAX_LEVELS:,} frequencies"
            return [Complaint(Code.BAD_VALUE, message, "take larger steps", ("step",))]
        return []

    @property
    def levels(self) -> tuple[Level, ...]:
        """Every frequency with its power."""
        frequencies_khz = range(self.first_khz, self.last_khz + 1, self.step_khz)
        return tuple(Level(khz, self.power.power_mw(khz)) for khz in frequencies_khz)


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
        default_factory=dict, description="Keep the rows whose column equals the value."
    )


class SleepSpec(SpecModel):
    """What a core without requests does."""

    power_mw: RestingPowerMw = Field(alias="power", examples=["0.1W"], description="What it draws.")
    wake_us: PauseUs = Field(
        alias="wake",
        examples=["20us"],
        description="How long its next request waits until it is awake.",
    )


class ServerSpec(SpecModel):
    """Cores alike, each with a queue of its own, and the frequencies that it can run at."""

    cores: Annotated[Whole, Field(ge=1, le=MAX_CORES)] = Field(
        default=1, description="How many there are."
    )
    levels_listed: (
        Annotated[tuple[LevelSpec, ...], Field(min_length=1, max_length=MAX_LEVELS)] | None
    ) = Field(
        default=None,
        alias="levels",
        examples=[[{"frequency": "0.8GHz", "power": "1.6W"}]],
        description="Frequencies and powers, low ones first.",
    )
    range: RangeSpec | None = Field(
        default=None, description="Frequencies in equal steps, instead of `levels`."
    )
    table: LevelTableSpec | None = Field(
        default=None, description="A file of measured frequencies, instead of `levels`."
    )
    sleep: SleepSpec = Field(
        examples=[{"power": "0.1W", "wake": "20us"}],
        description="What a core without requests does.",
    )
    uncore_mw: RestingPowerMw = Field(
        default=0,
        alias="uncore",
        description="Power of the chip beside its cores; it counts where power is shared out, and "
        "within `tdp`.",
        json_schema_extra={"default": "0W"},
    )
    rest_mw: RestingPowerMw = Field(
        default=0,
        alias="rest",
        description="Power of the server beside its chip, such as that of DRAM; it counts where "
        "power is shared out.",
        json_schema_extra={"default": "0W"},
    )
    tdp_mw: PowerMw | None = Field(
        default=None,
        alias="tdp",
        examples=["65W"],
        description="Thermal design power of the chip, that of all cores together.",
    )

    @model_validator(mode="after")
    def _check_levels(self) -> ServerSpec:
        complaints = [*self._sources(), *self._order(), *self._chip()]
        if complaints:
            raise RefusalError(*complaints)
        return self

    def _sources(self) -> list[Complaint]:
        parts = {"levels": self.levels_listed, "range": self.range, "table": self.table}
        given = [key for key, part in parts.items() if part is not None]
        if not given:
            hint = "write `levels`, `range` or `table`"
            return [Complaint(Code.MISSING_KEY, "has no frequencies", hint)]
        if len(given) > 1:
            message = f"and `server.{given[0]}` both give frequencies"
            return [Complaint(Code.CONFLICT, message, "remove one", (given[1],), (given[0],))]
        return []

    def _order(self) -> list[Complaint]:
        listed = self.levels_listed or ()
        complaints = [
            Complaint(
                Code.BAD_VALUE,
                f"is {format_khz(high.frequency_khz)}, no higher than the one before",
                "list every frequency once, low ones first",
                ("levels", position, "frequency"),
            )
            for position, (low, high) in enumerate(itertools.pairwise(listed), start=1)
            if high.frequency_khz <= low.frequency_khz
        ]
        return complaints + [
            Complaint(
                Code.BAD_VALUE,
                "is beyond what a table holds",
                _AT_MOST,
                ("levels", position, "frequency"),
            )
            for position, each in enumerate(listed)
            if each.frequency_khz > LARGEST_FREQUENCY_KHZ
        ]

    def _chip(self) -> list[Complaint]:
        if self.tdp_mw is None:
            return []
        if self.cores > MAX_LIMITED_CORES:
            message = f"is of one chip, which has at most {MAX_LIMITED_CORES} cores here"
            return [Complaint(Code.CONFLICT, message, "remove it", ("tdp",), ("cores",))]
        if self.tdp_mw < self.idle_mw:
            message = (
                f"is {format_mw(self.tdp_mw)}, less than the {format_mw(self.idle_mw)} that the "
                "chip draws with all its cores asleep"
            )
            hint = "no frequency can meet it: correct it, `sleep.power` or `uncore`"
            return [Complaint(Code.CONFLICT, message, hint, ("tdp",))]
        return []

    @property
    def idle_mw(self) -> int:
        """What the chip draws with all its cores asleep."""
        return self.uncore_mw + self.cores * self.sleep.power_mw

    def busy_mw(self, level: Level) -> int:
        """What the chip draws with requests on all its cores."""
        return self.uncore_mw + self.cores * level.power_mw

    @property
    def levels(self) -> tuple[Level, ...]:
        """Frequencies in ascending order; a table is read by then."""
        if self.range is not None:
            return self.range.levels
        assert self.levels_listed is not None
        return tuple(each.level for each in self.levels_listed)
