"""What a server of core types shows besides latency: energy, how busy each type was, control."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from tailc.models.core_types.columns import CoreTypesColumns
from tailc.models.energy import PoweredUse
from tailc.models.server_load import Load
from tailc.models.usage import Headline, Quantity


@dataclass(frozen=True)
class CoreTypesUse(PoweredUse):
    """Energy, and what steers."""

    @property
    def columns(self) -> CoreTypesColumns:
        """Energy in the place of threads."""
        return CoreTypesColumns()

    def headline(self, load: Load) -> Headline:  # noqa: ARG002
        """Energy of a request."""
        return Headline(Quantity.ENERGY, self.energy.drawn_us)

    def to_dict(self) -> dict[str, Any]:
        """Energy, and control where there is any."""
        control = None if self.control is None else asdict(self.control)
        return {"cores": self.energy.to_dict(), "control": control}
