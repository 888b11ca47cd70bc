"""Spec keys for the frequencies of cores: a list, equal steps, or a file."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import Annotated

from pydantic import Field

from tailc.errors import Code
from tailc.forms.tail_table import LARGEST_FREQUENCY_KHZ, Level
from tailc.policies.rubik.levels_spec import (
    AT_MOST,
    MAX_LEVELS,
    LevelPowerSpec,
    LevelTableSpec,
    PowerSpec,
    RangeSpec,
)
from tailc.specs.fields import Complaint, SpecModel
from tailc.specs.one_of import ExactlyOne
from tailc.units import format_khz

At = tuple[str | int, ...]

ONE_SOURCE = ExactlyOne(
    both="and `server.{}` both define frequencies",
    missing=("has no frequencies", "write `levels`, `range` or `table`"),
)


class ListedLevels(SpecModel):
    """Frequencies that are listed one by one."""

    levels_listed: Annotated[
        tuple[LevelPowerSpec, ...], Field(min_length=1, max_length=MAX_LEVELS)
    ] = Field(
        alias="levels",
        examples=[[{"frequency": "0.8GHz", "power": "1.6W"}]],
        description="Frequencies and powers, low ones first.",
    )

    @classmethod
    def from_powers(cls, powers_mw: Mapping[int, int]) -> ListedLevels:
        """Make the list from a file's or a model's powers [mW] by frequency [kHz]."""
        levels = tuple(
            LevelPowerSpec.model_construct(frequency_khz=khz, power_mw=power_mw)
            for khz, power_mw in powers_mw.items()
        )
        return cls.model_construct(levels_listed=levels)

    def checks_between(self) -> tuple[Callable[[], list[Complaint]], ...]:
        """Check that frequencies ascend without duplicates, and are in range."""
        return (self._order, self._largest)

    def _order(self) -> list[Complaint]:
        return [
            Complaint(
                Code.BAD_VALUE,
                f"is {format_khz(high.frequency_khz)}, which is not above the one before it",
                "list every frequency once, low ones first",
                ("levels", position, "frequency"),
            )
            for position, (low, high) in enumerate(itertools.pairwise(self.levels_listed), start=1)
            if high.frequency_khz <= low.frequency_khz
        ]

    def _largest(self) -> list[Complaint]:
        message = "is above the limit"
        return [
            Complaint(Code.BAD_VALUE, message, AT_MOST, ("levels", position, "frequency"))
            for position, each in enumerate(self.levels_listed)
            if each.frequency_khz > LARGEST_FREQUENCY_KHZ
        ]

    @property
    def frequencies_khz(self) -> tuple[int, ...]:
        """The frequencies in the spec itself [kHz], ascending; empty if a file has them."""
        return tuple(each.frequency_khz for each in self.levels_listed)

    @property
    def levels(self) -> tuple[Level, ...]:
        """Frequencies and their powers, in ascending order; every power must be known."""
        return tuple(each.level for each in self.levels_listed)

    @property
    def add_power(self) -> str:
        """Help line of the error that the power of a frequency is missing."""
        return "add `power: 6.5W`"

    @property
    def with_power(self) -> tuple[At, ...]:
        """Paths of the keys at which the spec states powers."""
        return self._powers_where(is_stated=True)

    @property
    def without_power(self) -> tuple[At, ...]:
        """Paths of the spec at which a power of requests is missing."""
        return self._powers_where(is_stated=False)

    def _powers_where(self, *, is_stated: bool) -> tuple[At, ...]:
        return tuple(
            ("levels", position, "power")
            for position, each in enumerate(self.levels_listed)
            if (each.power_mw is not None) == is_stated
        )

    @property
    def power_laws(self) -> Mapping[At, PowerSpec]:
        """The formulas of powers in the spec, by the paths of their keys."""
        return {}


class LevelRange(SpecModel):
    """Frequencies in equal steps over a range."""

    range: RangeSpec = Field(description="Frequencies in equal steps, instead of `levels`.")

    @property
    def frequencies_khz(self) -> tuple[int, ...]:
        """The frequencies in the spec itself [kHz], ascending; empty if a file has them."""
        return self.range.frequencies_khz

    @property
    def levels(self) -> tuple[Level, ...]:
        """Frequencies and their powers, in ascending order; every power must be known."""
        return self.range.levels

    @property
    def add_power(self) -> str:
        """Help line of the error that the power of a frequency is missing."""
        return "add `power: {static: 0.5W, dynamic: 6W, at: 2.4GHz}`"

    @property
    def with_power(self) -> tuple[At, ...]:
        """Paths of the keys at which the spec states powers."""
        return () if self.range.power is None else (("range", "power"),)

    @property
    def without_power(self) -> tuple[At, ...]:
        """Paths of the spec at which a power of requests is missing."""
        return (("range", "power"),) if self.range.power is None else ()

    @property
    def power_laws(self) -> Mapping[At, PowerSpec]:
        """The formulas of powers in the spec, by the paths of their keys."""
        return {} if self.range.power is None else {("range", "power"): self.range.power}


class MeasuredLevels(SpecModel):
    """Frequencies and powers in a file, which a compile reads first."""

    table: LevelTableSpec = Field(
        description="A file of measured frequencies, instead of `levels`."
    )

    @property
    def frequencies_khz(self) -> tuple[int, ...]:
        """The frequencies in the spec itself [kHz], ascending; empty if a file has them."""
        return ()

    @property
    def levels(self) -> tuple[Level, ...]:
        """Raise an error, because levels are unknown until `complete` has read the file."""
        raise AssertionError("the file of frequencies is not read yet")

    @property
    def add_power(self) -> str:
        """Help line of the error that the power of a frequency is missing."""
        return "name the column with the power"

    @property
    def with_power(self) -> tuple[At, ...]:
        """Paths of the keys at which the spec states powers."""
        return (("table",),)

    @property
    def without_power(self) -> tuple[At, ...]:
        """Paths of the spec at which a power of requests is missing."""
        return ()

    @property
    def power_laws(self) -> Mapping[At, PowerSpec]:
        """The formulas of powers in the spec, by the paths of their keys."""
        return {}
