"""Energy, utilization of each type and control of core types, as shown in verdicts."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from tailc.models.core_types.columns import CoreTypesColumns
from tailc.models.energy import PoweredUse
from tailc.models.server_load import Load
from tailc.models.usage import Headline, HeadlineQuantity


@dataclass(frozen=True)
class CoreTypesUse(PoweredUse):
    """Energy and control of core types over all replications."""

    @property
    def columns(self) -> CoreTypesColumns:
        return CoreTypesColumns()

    def headline(self, load: Load) -> Headline:  # noqa: ARG002
        """The most important number: the energy of a request."""
        return Headline(HeadlineQuantity.ENERGY, self.energy.drawn_us)

    def to_dict(self) -> dict[str, Any]:
        """Convert energy, and the controller's output if any, to a JSON object."""
        control = None if self.control is None else asdict(self.control)
        return {"cores": self.energy.to_dict(), "control": control}
