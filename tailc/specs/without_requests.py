"""Request settings, all empty, of the specs of policies that serve no requests."""

from __future__ import annotations

from tailc.specs.fields import SpecModel
from tailc.specs.slo import EndToEnd, Slo


class WithoutRequests(SpecModel):
    """The empty request settings of a spec without requests."""

    @property
    def slos(self) -> tuple[Slo, ...]:
        """SLOs of latency: none."""
        return ()

    @property
    def end_to_ends(self) -> tuple[EndToEnd | None, ...]:
        """End-to-end SLOs: none."""
        return ()

    @property
    def rates_mrps(self) -> tuple[int, ...]:
        """Arrival rates: none."""
        return ()

    @property
    def speedup(self) -> None:
        """Speed-ups of requests: none."""
        return

    @property
    def max_degree(self) -> None:
        """Largest degree: None, because there are no degrees."""
        return

    @property
    def serial(self) -> None:
        """Serial parts of requests: None, because there are no requests."""
        return
