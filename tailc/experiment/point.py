"""Results of a comparison: a policy and its baselines on the same requests and arrivals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from tailc.experiment.quantile import Quantile
from tailc.experiment.ruling import Ruling
from tailc.experiment.spike import Spike
from tailc.models.occupancy import Occupancy
from tailc.models.server_load import Load
from tailc.models.usage import Usage
from tailc.specs.slo import Slo


@dataclass(frozen=True)
class TailChange:
    """Relative change of a policy's percentile from a baseline's, with its 95 % interval."""

    change_ppm: int
    low_ppm: int
    high_ppm: int

    def __post_init__(self) -> None:
        assert self.low_ppm <= self.change_ppm <= self.high_ppm

    @property
    def is_beyond_noise(self) -> bool:
        """Whether the whole confidence interval of the change is above 0 or below 0."""
        return self.low_ppm > 0 or self.high_ppm < 0


@dataclass(frozen=True)
class SloEstimate:
    """Result of one policy or baseline for one SLO: estimate, 95 % interval, ruling.

    `high_us`: None if there are too few requests for an upper limit. `simulation_us`: half-width of
    the estimate's 95 % interval from simulated arrivals alone. `windows_met_ppm`: share of the
    SLO's accounting windows that meet the target, None without a window or if no whole window fits.
    `more_requests`: about how many more held-out requests would decide; None if the ruling is
    decided, or no number would decide it.
    """

    estimate_us: int
    low_us: int
    high_us: int | None
    simulation_us: int
    ruling: Ruling
    more_requests: int | None
    windows_met_ppm: int | None

    def __post_init__(self) -> None:
        assert self.low_us <= self.estimate_us
        assert self.high_us is None or self.estimate_us <= self.high_us


@dataclass(frozen=True)
class Run:
    """Results of one policy or baseline under one arrival process: server use, SLO estimates.

    `note`: what was chosen for the policy or baseline, or empty. `stretch_us`: if arrivals come in
    bursts, for each burst and each SLO the percentile of the burst's last requests; None if none of
    them is of the SLO's class. `spikes`: if the rate changes in steps, on machines that measure a
    percentile at run time. `spectrum` (by percentile) and `occupancy` (for each ladder of the
    policy) exist only if pictures were requested. `changes`: in the results of a baseline, for each
    SLO the percentile of the policy relative to the baseline's; None if it is unknown or one of
    both is overloaded.
    """

    subject: str
    note: str
    load: Load
    estimates: tuple[SloEstimate, ...]
    usage: Usage
    stretch_us: tuple[tuple[int | None, ...], ...] = ()
    spikes: tuple[Spike, ...] = ()
    spectrum: tuple[Quantile, ...] = ()
    occupancy: tuple[Occupancy | None, ...] = ()
    changes: tuple[TailChange | None, ...] = ()

    def relative_to(self, base: Run, other_ppm: int) -> Run:
        """The same results with the energy of a request relative to that of a baseline.

        base: results of the baseline. other_ppm: share of its power outside the cores [1e-6].
        Unchanged if one of the two is overloaded.
        """
        base_us = base.usage.drawn_us
        if not base_us or self.load.is_overloaded or base.load.is_overloaded:
            return self
        return replace(self, usage=self.usage.relative_to(base_us, other_ppm))


class SloComparison(Protocol):
    """Interface: results of a policy and its baselines for each SLO, by arrival process.

    Verdicts and estimates have it in common. shared: the resource that requests compete for, which
    `threads` counts.
    """

    @property
    def slos(self) -> tuple[Slo, ...]:
        """SLOs of the policy that the results are compared with."""
        ...

    @property
    def points(self) -> tuple[Point, ...]:
        """Results of the policy and its baselines, one entry for each arrival process."""
        ...

    @property
    def shared(self) -> str:
        """The resource that requests compete for, such as `threads`."""
        ...


@dataclass(frozen=True)
class Point:
    """Results under one arrival process: the policy and every baseline.

    `reference`: the baseline that energy is relative to, or None.
    """

    arrivals: str
    rate_mrps: int
    policy: Run
    baselines: tuple[Run, ...]
    reference: str | None = None

    def with_ratios(self, other_ppm: int) -> Point:
        """The same results with each energy relative to that of the reference baseline.

        other_ppm: share of the reference server's power that is used outside the cores [1e-6],
        equal in both.
        """
        base = _reference(self.baselines)
        if base is None or base.usage.drawn_us is None:
            return self
        return replace(
            self,
            policy=self.policy.relative_to(base, other_ppm),
            baselines=tuple(one.relative_to(base, other_ppm) for one in self.baselines),
            reference=base.subject,
        )


def _reference(runs: Sequence[Run]) -> Run | None:
    """The run of TL, or else the first run.

    For core queues the first default is one frequency.
    """
    by_name = {run.subject: run for run in reversed(runs)}
    return by_name.get("TL", runs[0] if runs else None)
