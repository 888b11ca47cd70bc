"""What a user writes of a server whose cores change their frequency one by one."""

from __future__ import annotations

import itertools
from typing import Annotated

from pydantic import Field, model_validator

from tailc.errors import Code
from tailc.forms.tail_table import LARGEST_FREQUENCY_KHZ, Level
from tailc.policies.rubik.levels_spec import (
    AT_MOST,
    MAX_LEVELS,
    LevelSpec,
    LevelTableSpec,
    PowerMw,
    RangeSpec,
    RestingPowerMw,
)
from tailc.policies.rubik.model_spec import ModelSpec
from tailc.specs.cores_fields import PauseUs
from tailc.specs.fields import Complaint, RefusalError, SpecModel, Whole
from tailc.units import format_khz, format_mw

MAX_CORES = 65_536
# Those of a chip with a limit: its throttling is told core by core.
MAX_LIMITED_CORES = 256


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
    model: ModelSpec | None = Field(
        default=None,
        description="A power model that tells what cores draw at `levels` or in `range`.",
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
        complaints = [*self._sources(), *self._powers(), *self._order(), *self._chip()]
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

    def _powers(self) -> list[Complaint]:
        if self.model is not None:
            return self._told_twice()
        hint = "name a power model by `server.model`"
        missing = [
            Complaint(Code.MISSING_KEY, "is missing", f"add `power: 6.5W`, or {hint}", at)
            for position, each in enumerate(self.levels_listed or ())
            if each.power_mw is None
            for at in [("levels", position, "power")]
        ]
        if self.range is not None and self.range.power is None:
            also = f"add `power: {{static: 0.5W, dynamic: 6W, at: 2.4GHz}}`, or {hint}"
            missing.append(Complaint(Code.MISSING_KEY, "is missing", also, ("range", "power")))
        return missing

    def _told_twice(self) -> list[Complaint]:
        given: list[tuple[str | int, ...]] = [
            ("levels", position, "power")
            for position, each in enumerate(self.levels_listed or ())
            if each.power_mw is not None
        ]
        given += [("range", "power")] if self.range is not None and self.range.power else []
        given += [("table",)] if self.table is not None else []
        message = "and `server.model` both tell what cores draw"
        return [Complaint(Code.CONFLICT, message, "remove one", at, ("model",)) for at in given]

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
                AT_MOST,
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
    def frequencies_khz(self) -> tuple[int, ...]:
        """Frequencies that the spec itself lists, in ascending order."""
        if self.range is not None:
            return self.range.frequencies_khz
        return tuple(each.frequency_khz for each in self.levels_listed or ())

    @property
    def levels(self) -> tuple[Level, ...]:
        """Frequencies in ascending order; a table or a power model is read by then."""
        if self.range is not None:
            return self.range.levels
        assert self.levels_listed is not None
        return tuple(each.level for each in self.levels_listed)
