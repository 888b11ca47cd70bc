"""What a server of core types shows besides latency: energy, how busy each type was, control."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

from tailc.models.core_types.columns import CoreTypesColumns
from tailc.models.energy import ControlUse, EnergyUse
from tailc.models.server_load import Load
from tailc.models.usage import Headline, Quantity, Usage


@dataclass(frozen=True)
class CoreTypesUse(Usage):
    """`control`: None where nothing steers, or no epoch ended."""

    energy: EnergyUse
    control: ControlUse | None

    @property
    def drawn_us(self) -> int:
        """Of a request, free cores included."""
        return self.energy.drawn_us

    def relative_to(self, base_us: int, other_ppm: int) -> CoreTypesUse:
        """With its energy over that of a base."""
        return replace(self, energy=self.energy.relative_to(base_us, other_ppm))

    @property
    def columns(self) -> CoreTypesColumns:
        """Energy in the place of threads."""
        return CoreTypesColumns()

    def cost_us(self, load: Load) -> int:  # noqa: ARG002
        """Energy."""
        return self.energy.drawn_us

    def headline(self, load: Load) -> Headline:  # noqa: ARG002
        """Energy of a request."""
        return Headline(Quantity.ENERGY, self.energy.drawn_us)

    @property
    def energy_ratio_ppm(self) -> int | None:
        """Of the cores."""
        return self.energy.ratio and self.energy.ratio.cores_ppm

    @property
    def remarks(self) -> tuple[str, ...]:
        """Nothing."""
        return ()

    def to_dict(self) -> dict[str, Any]:
        """Energy, and control where there is any."""
        control = None if self.control is None else asdict(self.control)
        return {"cores": self.energy.to_dict(), "control": control}
