"""What a table shall hold under overload, and at which price."""

from __future__ import annotations

from dataclasses import dataclass

from tailc.forms.ladder.table import Rule


@dataclass(frozen=True)
class OverloadAim:
    """The objective of those that are served, at which rates, and what they may lose for it.

    rates_mrps: of overload, ascending; normal_mrps: at which nothing should be lost; both in
    thousandths of a request per second. allowed: of the rules shed, cut-off and degrade. work_ppm:
    what is left of the work of a degraded request. requests: in a replay.
    """

    percentile_ppm: int
    latency_us: int
    rates_mrps: tuple[int, ...]
    normal_mrps: tuple[int, ...]
    allowed: tuple[Rule, ...]
    work_ppm: int | None = None
    requests: int = 20_000

    def __post_init__(self) -> None:
        assert self.rates_mrps
        assert self.allowed
        assert (Rule.DEGRADE in self.allowed) == (self.work_ppm is not None)
