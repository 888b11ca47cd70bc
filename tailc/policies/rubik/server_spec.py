"""Spec keys for a server whose cores change their frequency one by one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from pydantic import Field

from tailc.errors import Code
from tailc.forms.tail_table import Level
from tailc.policies.rubik.batch_spec import Amount
from tailc.policies.rubik.frequencies_spec import (
    ONE_SOURCE,
    LevelRange,
    ListedLevels,
    MeasuredLevels,
)
from tailc.policies.rubik.levels_spec import EnergyNj, PowerMw, RestingPowerMw
from tailc.policies.rubik.model_spec import ModelSpec
from tailc.specs.cores_fields import PauseUs
from tailc.specs.fields import Complaint, SpecModel, Whole
from tailc.specs.one_of import OneOf
from tailc.units import format_mw

MAX_CORES = 65_536
# Most cores of a chip with a power limit, whose throttling is simulated for each core.
MAX_LIMITED_CORES = 256


class SleepSpec(SpecModel):
    """Sleep of a core without requests: its power, and the time to wake it up."""

    power_mw: RestingPowerMw = Field(
        alias="power", examples=["0.1W"], description="Power of a sleeping core."
    )
    wake_us: PauseUs = Field(
        alias="wake",
        examples=["20us"],
        description="Time that the next request waits until the core is awake.",
    )


class TransitionSpec(SpecModel):
    """Cost of a change of a core's frequency: time and energy."""

    time_us: PauseUs = Field(
        alias="time", examples=["50us"], description="How long the core halts at a change."
    )
    energy_nj: EnergyNj = Field(
        default=0,
        alias="energy",
        description="Energy of a change, in addition to the energy of the core during the halt.",
        json_schema_extra={"default": "0J"},
    )


class ServerSpec(SpecModel):
    """Identical cores, each with its own queue, and their frequencies."""

    cores: Annotated[Whole, Field(ge=1, le=MAX_CORES)] = Field(
        default=1, description="Number of cores."
    )
    frequencies: Annotated[ListedLevels | LevelRange | MeasuredLevels, OneOf(ONE_SOURCE)] = Field(
        alias="<frequencies>"
    )
    model: ModelSpec | None = Field(
        default=None,
        description="Model for the power of cores at `levels` or in `range`.",
    )
    sleep: SleepSpec = Field(
        examples=[{"power": "0.1W", "wake": "20us"}],
        description="State of a core without requests.",
    )
    transition: TransitionSpec | None = Field(
        default=None,
        description="What a change of a core's frequency costs; nothing, if absent.",
    )
    uncore_mw: RestingPowerMw = Field(
        default=0,
        alias="uncore",
        description="Power of the chip outside its cores; it counts where power is divided among "
        "cores, and within `tdp`.",
        json_schema_extra={"default": "0W"},
    )
    rest_mw: RestingPowerMw = Field(
        default=0,
        alias="rest",
        description="Power of the server outside its chip, such as that of DRAM; it counts where "
        "power is divided among cores.",
        json_schema_extra={"default": "0W"},
    )
    tdp_mw: PowerMw | None = Field(
        default=None,
        alias="tdp",
        examples=["65W"],
        description="Thermal design power of the chip with all cores.",
    )

    ipc_ppm: Amount | None = Field(
        default=None,
        alias="ipc",
        examples=[1.2],
        description="Instructions per cycle of requests at `demand.clock`; only the baselines "
        "`hw-t` and `hw-tpw` use it.",
    )

    def checks_between(self) -> tuple[Callable[[], list[Complaint]], ...]:
        """Check that each power is stated once, and that the chip's power limit can be met."""
        return (self._powers, self._chip)

    def _powers(self) -> list[Complaint]:
        if self.model is not None:
            return self._told_twice()
        hint = f"{self.frequencies.add_power}, or name a power model by `server.model`"
        return [
            Complaint(Code.MISSING_KEY, "is missing", hint, at)
            for at in self.frequencies.without_power
        ]

    def _told_twice(self) -> list[Complaint]:
        message = "and `server.model` both define the power of cores"
        return [
            Complaint(Code.CONFLICT, message, "remove one", at, ("model",))
            for at in self.frequencies.with_power
        ]

    def _chip(self) -> list[Complaint]:
        if self.tdp_mw is None:
            return []
        if self.cores > MAX_LIMITED_CORES:
            message = f"is for one chip, which can have at most {MAX_LIMITED_CORES} cores"
            return [Complaint(Code.CONFLICT, message, "remove it", ("tdp",), ("cores",))]
        if self.tdp_mw < self.idle_mw:
            message = (
                f"is {format_mw(self.tdp_mw)}, less than the {format_mw(self.idle_mw)} that the "
                "chip uses with all its cores asleep"
            )
            hint = "correct it, `sleep.power` or `uncore`: no frequency can meet the limit"
            return [Complaint(Code.CONFLICT, message, hint, ("tdp",))]
        return []

    @property
    def idle_mw(self) -> int:
        """Power of the chip with all cores asleep [mW]."""
        return self.uncore_mw + self.cores * self.sleep.power_mw

    def busy_mw(self, level: Level) -> int:
        """Power of the chip with requests on all cores at a level [mW]."""
        return self.uncore_mw + self.cores * level.power_mw

    @property
    def levels(self) -> tuple[Level, ...]:
        """The frequency levels, ascending; a table or a power model must be read before."""
        return self.frequencies.levels
