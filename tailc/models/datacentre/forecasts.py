"""What is expected of the supply, as a replay asks for it."""

from __future__ import annotations

from typing import Protocol

from tailc.models.datacentre.supply import Supply


class Forecasts(Protocol):
    """What is expected, as of an epoch."""

    def ahead(self, epoch: int, epochs: int) -> Supply:
        """Of so many epochs from this one on, known at its start."""
        ...
