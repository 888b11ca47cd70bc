"""Interface to forecasts of green energy, price and CO2 in a replay."""

from __future__ import annotations

from typing import Protocol

from tailc.models.datacentre.supply import Supply


class SupplyForecasts(Protocol):
    """Interface: forecasts of the energy supply that are made at the start of an epoch."""

    def ahead(self, epoch: int, epochs: int) -> Supply:
        """Forecast of the energy supply at the start of `epoch` for the next `epochs` epochs."""
        ...
