"""The objective of a policy under overload, and the losses that it allows."""

from __future__ import annotations

from dataclasses import dataclass

from tailc.forms.ladder.table import Rule


@dataclass(frozen=True)
class OverloadObjective:
    """Objective of the rules for overload: the SLO of served requests, rates and allowed rules.

    percentile_ppm, latency_us: the SLO. rates_mrps: rates of overload, ascending. normal_mrps:
    rates at which nothing should be lost; both rates are in thousandths of a request per second.
    allowed: which of the rules shed, cut-off and degrade may be used. work_ppm: share of the work
    of a degraded request that is done [1e-6]. requests: number of requests in a replay.
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
