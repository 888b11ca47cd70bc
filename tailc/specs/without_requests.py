"""Request settings, all empty, of the specs of policies that serve no requests."""

from __future__ import annotations

from tailc.specs.fields import SpecModel
from tailc.specs.slo import EndToEnd, Slo


class WithoutRequests(SpecModel):
    """The request settings, all empty, of specs whose policy serves no requests."""

    @property
    def slos(self) -> tuple[Slo, ...]:
        """SLOs on latency: none, because the policy serves no requests."""
        return ()

    @property
    def end_to_ends(self) -> tuple[EndToEnd | None, ...]:
        """End-to-end SLOs: none, because the policy serves no requests."""
        return ()

    @property
    def rates_mrps(self) -> tuple[int, ...]:
        """Arrival rates: none, because the policy serves no requests."""
        return ()

    @property
    def speedup(self) -> None:
        """Speed-ups of requests: none, because the policy serves no requests."""
        return

    @property
    def max_degree(self) -> None:
        """Largest number of threads of a request: None, because the policy serves no requests."""
        return

    @property
    def serial(self) -> None:
        """Serial parts of requests: None, because the policy serves no requests."""
        return
