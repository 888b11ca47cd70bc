"""What a user writes of cores: their types, or the levels of per-core frequency scaling."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from tailc.errors import Code
from tailc.specs.cores_fields import (
    FrequencyKhz,
    IdlePowerField,
    PauseUs,
    PowerField,
    SharePpm,
)
from tailc.specs.fields import Cell, Complaint, RefusalError, SpecModel, SpeedupPpm, Text, Whole

MAX_COUNT = 65_536
MAX_TYPES = 64
# Haque et al., MICRO 2017, section 5.4: a migration takes less than 500 us, and a change of
# frequency 50 to 90 us.
MIGRATION_US = 500
SWITCH_US = 90

Count = Annotated[Whole, Field(ge=1, le=MAX_COUNT)]
Row = dict[str, Cell]


class CoreTypeSpec(SpecModel):
    """Cores alike; what is left out comes from `power_from` or from a row of `table`."""

    name: Text | None = Field(default=None, examples=["little"], description="Name of the type.")
    count: Count = Field(examples=[8], description="How many there are.")
    speed_ppm: SpeedupPpm | None = Field(
        default=None, alias="speed", examples=[2], description="Speed; only ratios count."
    )
    power: PowerField | None = Field(
        default=None, examples=["2.5W"], description="Power while a request runs."
    )
    idle_power: IdlePowerField | None = Field(
        default=None, description="Power of a free core; nothing, if absent."
    )
    migration_us: PauseUs = Field(
        default=MIGRATION_US,
        alias="migration",
        description="How long a request that moves here does no work.",
        json_schema_extra={"default": "500us"},
    )
    row: Row | None = Field(
        default=None, description="Column to value: the row of `table` that tells of it."
    )


class LevelSpec(SpecModel):
    """A frequency; without `speed` speeds are in proportion to frequencies."""

    name: Text | None = Field(default=None, description="Name; the frequency or speed, if absent.")
    frequency_khz: FrequencyKhz | None = Field(
        default=None, alias="frequency", examples=["1.7GHz"], description="Its frequency."
    )
    speed_ppm: SpeedupPpm | None = Field(
        default=None, alias="speed", description="Speed; only ratios count."
    )
    power: PowerField | None = Field(
        default=None, description="Power while a request runs at this level."
    )
    row: Row | None = Field(
        default=None, description="Column to value: the row of `table` that tells of it."
    )


class DvfsSpec(SpecModel):
    """Per-core frequency scaling: cores alike, each at one of the levels."""

    count: Count = Field(examples=[8], description="Number of cores.")
    levels: Annotated[tuple[LevelSpec, ...], Field(min_length=1, max_length=MAX_TYPES)] = Field(
        examples=[[{"frequency": "1.7GHz", "power": "2W"}]],
        description="The levels, slow ones first.",
    )
    switch_us: PauseUs = Field(
        default=SWITCH_US,
        alias="switch",
        description="How long a request does no work while its core changes the level.",
        json_schema_extra={"default": "90us"},
    )
    idle_power: IdlePowerField | None = Field(
        default=None, description="Power of a free core; nothing, if absent."
    )


class CoreTableSpec(SpecModel):
    """Columns of a file of measured cores: CSV, NDJSON or Parquet."""

    file: Text = Field(
        examples=["cores.csv"], description="Path of the file, relative to the spec."
    )
    speed: Text = Field(examples=["coremark_iter_s"], description="Column with the speed.")
    power: Text = Field(examples=["power_mw"], description="Column with the power at work.")
    unit: Literal["mW", "W"] = Field(description="Unit of the powers.")
    idle_power: Text | None = Field(
        default=None, description="Column with the power of a free core."
    )
    cores: Text | None = Field(
        default=None,
        description="Column with a number of cores whose speed and powers a row adds up.",
    )
    where: Row = Field(
        default_factory=dict, description="Keep the rows whose column equals the value."
    )


class CoresSpec(SpecModel):
    """The cores of a server: `types`, each with cores of its own, or `dvfs`."""

    types: Annotated[tuple[CoreTypeSpec, ...], Field(min_length=1, max_length=MAX_TYPES)] | None = (
        Field(
            default=None,
            examples=[[{"name": "little", "count": 8, "speed": 1, "power": "0.4W"}]],
            description="Types of cores, slow ones first.",
        )
    )
    dvfs: DvfsSpec | None = Field(
        default=None, description="Cores that change their frequency one by one."
    )
    power_from: (
        Literal["micro-2017-amp", "micro-2017-dvfs", "dissertation-2016", "cubic", "micro-2017"]
        | None
    ) = Field(
        default=None,
        description="Powers by speed: a published table (of Haque et al., MICRO 2017, table 4, or "
        "of the dissertation, 2016, table 5.3), or a model (`cubic`: speed^3, and static power "
        "apart; `micro-2017`: speed^2.73, and static power in proportion to speed).",
    )
    static_share_ppm: SharePpm | None = Field(
        default=None,
        alias="static_share",
        description="Static power: of the chip's at peak for `cubic` (20 %, if absent), of a slow "
        "core's for `micro-2017` (none, if absent).",
    )
    table: CoreTableSpec | None = Field(default=None, description="A file of measured cores.")

    @model_validator(mode="after")
    def _check_parts(self) -> CoresSpec:
        complaints = [*self._kind_complaints(), *self._source_complaints(), *self._row_complaints()]
        if complaints:
            raise RefusalError(*complaints)
        return self

    def _kind_complaints(self) -> list[Complaint]:
        if self.types is None and self.dvfs is None:
            hint = "write `types` with a list of core types, or `dvfs` with levels"
            return [Complaint(Code.MISSING_KEY, "names no cores", hint)]
        if self.types is not None and self.dvfs is not None:
            message = "and `cores.types` both say which cores there are"
            return [Complaint(Code.CONFLICT, message, "remove one", ("dvfs",), ("types",))]
        return []

    def _source_complaints(self) -> list[Complaint]:
        if self.table is not None and self.power_from is not None:
            message = "and `cores.table` both give powers"
            return [Complaint(Code.CONFLICT, message, "remove one", ("power_from",), ("table",))]
        if self.static_share_ppm is not None and self.power_from not in ("cubic", "micro-2017"):
            message = "is for the models `cubic` and `micro-2017`; elsewhere powers are as told"
            at = ("static_share",)
            return [Complaint(Code.CONFLICT, message, "remove it", at, ("power_from",))]
        return []

    def _row_complaints(self) -> list[Complaint]:
        """A row and a table go together, and a row tells all."""
        key, parts = ("types", self.types) if self.types is not None else ("levels", ())
        if self.dvfs is not None:
            parts = self.dvfs.levels
        below = (key,) if key == "types" else ("dvfs", "levels")
        complaints = []
        for position, part in enumerate(parts or ()):
            at = (*below, position)
            if part.row is None:
                continue
            if self.table is None:
                message, hint = "names a row, but there is no `table`", "add `cores.table`"
                complaints.append(Complaint(Code.MISSING_KEY, message, hint, (*at, "row")))
            if part.power is not None:
                message = "and `row` both give the power"
                place = (*at, "power"), (*at, "row")
                complaints.append(Complaint(Code.CONFLICT, message, "remove one", *place))
        return complaints
