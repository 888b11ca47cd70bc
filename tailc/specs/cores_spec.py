"""Spec keys for cores: types of cores, or levels of per-core frequency scaling."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from tailc.errors import Code
from tailc.specs.core_parts import (
    NO_POWER,
    CoreOfRow,
    CoreTypeSpec,
    CoreValues,
    Count,
    LevelOfRow,
    LevelSpec,
    Row,
)
from tailc.specs.cores_fields import (
    IdlePowerField,
    PauseUs,
    SharePpm,
)
from tailc.specs.cores_power import MODELS
from tailc.specs.fields import (
    Complaint,
    SpecModel,
    Text,
    or_absent,
)
from tailc.specs.one_of import AtMostOne, ExactlyOne, OneOf, Stray

MAX_TYPES = 64
# Haque et al., MICRO 2017, section 5.4: a change of frequency takes 50 to 90 us.
SWITCH_US = 90


class DvfsSpec(SpecModel):
    """Per-core frequency scaling: equal cores, each at one of the levels."""

    count: Count = Field(examples=[8], description="Number of cores.")
    levels: Annotated[tuple[LevelSpec, ...], Field(min_length=1, max_length=MAX_TYPES)] = Field(
        examples=[[{"frequency": "1.7GHz", "power": "2W"}]],
        description="The levels, ascending in speed.",
    )
    switch_us: PauseUs = Field(
        default=SWITCH_US,
        alias="switch",
        description="Time without work when a core changes its level.",
        json_schema_extra={"default": "90us"},
    )
    idle_power: Annotated[IdlePowerField, or_absent(NO_POWER)] = Field(
        default=NO_POWER,
        description="Power of a free core. Default: 0.",
        json_schema_extra={"default": 0},
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
        description="Column with a number of cores, if a row has their total speed and powers.",
    )
    where: Row = Field(
        default_factory=dict, description="Use the rows whose column equals the value."
    )


Fill = Callable[[int, CoreValues], CoreValues]


class CoreTypesSpec(SpecModel):
    """Types of cores, each with its own number of cores."""

    types: Annotated[tuple[CoreTypeSpec, ...], Field(min_length=1, max_length=MAX_TYPES)] = Field(
        examples=[[{"name": "little", "count": 8, "speed": 1, "power": "0.4W"}]],
        description="Types of cores, ascending in speed.",
    )
    noun: ClassVar[str] = "type"
    path: ClassVar[tuple[str, ...]] = ("types",)

    @property
    def parts(self) -> tuple[CoreTypeSpec, ...]:
        """The core types of the spec, slow ones first."""
        return self.types

    def fill(self, fill: Fill) -> CoreTypesSpec:
        """Replace each core type by the result of `fill`, which adds values from a table."""
        values = [fill(position, each.values) for position, each in enumerate(self.types)]
        return self.model_copy(update={"types": _each_with(self.types, values)})


class DvfsCores(SpecModel):
    """Cores that change their frequency individually."""

    dvfs: DvfsSpec = Field(description="Cores that change their frequency individually.")
    noun: ClassVar[str] = "frequency"
    path: ClassVar[tuple[str, ...]] = ("dvfs", "levels")

    @property
    def parts(self) -> tuple[LevelSpec, ...]:
        """The frequency levels of the spec, slow ones first."""
        return self.dvfs.levels

    def fill(self, fill: Fill) -> DvfsCores:
        """Replace each frequency level by the result of `fill`, which adds values from a table."""
        values = [fill(position, each.values) for position, each in enumerate(self.parts)]
        levels = _each_with(self.parts, values)
        return self.model_copy(update={"dvfs": self.dvfs.model_copy(update={"levels": levels})})


def _each_with(parts: Sequence[SpecModel], values: Sequence[CoreValues]) -> tuple[SpecModel, ...]:
    return tuple(
        part.model_copy(update={"values": one}) for part, one in zip(parts, values, strict=True)
    )


class OwnPowers(SpecModel):
    """Every type or level states its own power."""


class MeasuredCores(SpecModel):
    """Powers, and possibly speeds, from a file that the compile reads first."""

    table: CoreTableSpec = Field(description="A file of measured cores.")


class PowersBySpeed(SpecModel):
    """Powers computed from speeds."""

    power_from: Literal[
        "micro-2017-amp", "micro-2017-dvfs", "dissertation-2016", "cubic", "micro-2017"
    ] = Field(
        description="Powers by speed: a published table (of Haque et al., MICRO 2017, table 4, or "
        "of the dissertation, 2016, table 5.3), or a model (`cubic`: speed^3 plus "
        "separate static power; `micro-2017`: speed^2.73 plus static power in "
        "proportion to speed).",
    )
    static_share_ppm: SharePpm | None = Field(
        default=None,
        alias="static_share",
        description="Static power: a share of the chip's peak power for `cubic` (default 20 %), "
        "of a slow core's power for `micro-2017` (default 0).",
    )

    def checks_between(self) -> tuple[Callable[[], list[Complaint]], ...]:
        """Check that `static_share` is given only for a model that uses it."""
        return (self._static_share,)

    def _static_share(self) -> list[Complaint]:
        if self.static_share_ppm is None or self.power_from in MODELS:
            return []
        stray = _STATIC_SHARE
        at, also = ("static_share",), ("power_from",)
        return [Complaint(Code.CONFLICT, stray.message, stray.help, at, also)]


_STATIC_SHARE = Stray("applies only to the models `cubic` and `micro-2017`")
_ONE_SERVER = ExactlyOne(
    both="and `cores.{}` both define the cores",
    missing=(
        "does not define any cores",
        "write `types` with a list of core types, or `dvfs` with levels",
    ),
)
_ONE_POWER = AtMostOne(
    both="and `cores.{}` both define powers", strays={"static_share": _STATIC_SHARE}
)


class CoresSpec(SpecModel):
    """The cores of a server: several `types`, each with its number of cores, or `dvfs`.

    With `dvfs` all cores are alike and change their frequency.
    """

    which: Annotated[CoreTypesSpec | DvfsCores, OneOf(_ONE_SERVER)] = Field(alias="<which>")
    powers: Annotated[OwnPowers | MeasuredCores | PowersBySpeed, OneOf(_ONE_POWER)] = Field(
        alias="<powers>"
    )

    def checks_between(self) -> tuple[Callable[[], list[Complaint]], ...]:
        """Check that `row` is used only with a table."""
        return (self._row_complaints,)

    def _row_complaints(self) -> list[Complaint]:
        if isinstance(self.powers, MeasuredCores):
            return []
        message, hint = "names a row, but there is no `table`", "add `cores.table`"
        return [
            Complaint(Code.MISSING_KEY, message, hint, (*self.which.path, position, "row"))
            for position, part in enumerate(self.which.parts)
            if isinstance(part.values, CoreOfRow | LevelOfRow)
        ]
