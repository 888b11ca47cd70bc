"""The objective of a policy under overload, and the losses that it allows."""

from __future__ import annotations

from dataclasses import dataclass

from tailc.forms.ladder.table import Rule


@dataclass(frozen=True)
class OverloadObjective:
    """The SLO of served requests under overload, the rates, and the rules that are allowed.

    rates_mrps: rates of overload, ascending. normal_mrps: rates at which nothing should be lost.
    Both in thousandths of a request per second. allowed: of the rules shed, cut-off and degrade.
    work_ppm: remaining share of the work of a degraded request. requests: in a replay.
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
