"""Power of a core with batch work: as with requests, by a formula, listed, or from counters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

from pydantic import Field

from tailc.forms.tail_table import Level
from tailc.policies.rubik.levels_spec import MAX_LEVELS, PowerMw, PowerSpec
from tailc.policies.rubik.model_spec import CountersSpec
from tailc.specs.fields import SpecModel
from tailc.specs.one_of import AtMostOne

At = tuple[str | int, ...]

ONE_POWER = AtMostOne(both="and `batch.{}` both define the power of batch work")


class AsRequests(SpecModel):
    """Batch work draws the same power as requests."""

    def powers_mw(self, levels: Sequence[Level]) -> tuple[int, ...]:
        """Power of a core with batch work at each frequency level [mW]."""
        return tuple(level.power_mw for level in levels)

    @property
    def laws(self) -> Mapping[At, PowerSpec]:
        """The formulas of powers in the spec, by the paths of their keys."""
        return {}


class PowerLaw(SpecModel):
    """The power of batch work is computed by a formula from the frequency."""

    power: PowerSpec = Field(
        description="Power of a core with batch work. Default: that with requests."
    )

    def powers_mw(self, levels: Sequence[Level]) -> tuple[int, ...]:
        """Power of a core with batch work at each frequency level [mW]."""
        return tuple(self.power.power_mw(level.frequency_khz) for level in levels)

    @property
    def laws(self) -> Mapping[At, PowerSpec]:
        """The formulas of powers in the spec, by the paths of their keys."""
        return {("power",): self.power}


class ListedPowers(SpecModel):
    """The power of batch work is listed for each frequency."""

    listed_mw: Annotated[tuple[PowerMw, ...], Field(max_length=MAX_LEVELS)] = Field(
        alias="powers",
        examples=[["1.2W", "4W"]],
        description="The same at each frequency of the server, ascending.",
    )

    def powers_mw(self, levels: Sequence[Level]) -> tuple[int, ...]:  # noqa: ARG002
        """Power of a core with batch work at each frequency level [mW]."""
        return self.listed_mw

    @property
    def laws(self) -> Mapping[At, PowerSpec]:
        """The formulas of powers in the spec, by the paths of their keys."""
        return {}


class CountedPower(SpecModel):
    """The power of batch work comes from a power model and event counters."""

    counters: CountersSpec = Field(
        description="The same from the power model `server.model`: events per cycle at "
        "`demand.clock` of a core with batch work.",
    )

    def powers_mw(self, levels: Sequence[Level]) -> tuple[int, ...]:  # noqa: ARG002
        """Raise an error, because powers are unknown until `complete` has read the power model."""
        raise AssertionError("the power model is not read yet")

    @property
    def laws(self) -> Mapping[At, PowerSpec]:
        """The formulas of powers in the spec, by the paths of their keys."""
        return {}
