"""Specs of policies to which no requests come."""

from __future__ import annotations

from tailc.specs.fields import SpecModel
from tailc.specs.slo import EndToEnd, Slo


class WithoutRequests(SpecModel):
    """What such a spec says of requests: nothing. What it promises stands in its form."""

    @property
    def slos(self) -> tuple[Slo, ...]:
        """None: nothing has a latency."""
        return ()

    @property
    def end_to_ends(self) -> tuple[EndToEnd | None, ...]:
        """None, likewise."""
        return ()

    @property
    def rates_mrps(self) -> tuple[int, ...]:
        """None: nothing arrives but what a log has."""
        return ()

    @property
    def speedup(self) -> None:
        """None that a trace of requests would be read by."""
        return

    @property
    def max_degree(self) -> None:
        """None, for there are no degrees."""
        return

    @property
    def serial(self) -> None:
        """None, for there are no threads of requests."""
        return
