"""What an experiment shows of a policy and its baselines on the same requests and arrivals."""

from __future__ import annotations

from dataclasses import dataclass

from tailc.experiment.load import Load
from tailc.experiment.loss import Loss
from tailc.experiment.plot_data import Quantile, Traffic
from tailc.experiment.ruling import Ruling
from tailc.experiment.spikes import Spike
from tailc.models.core_queues.usage import ClockUse
from tailc.models.core_types.usage import ControlUse, CoreUse
from tailc.models.shared_cores.batch import BatchUse
from tailc.models.smt.usage import LaneUse


@dataclass(frozen=True)
class Verdict:
    """One subject at one SLO under one arrival process: estimate, 95 % interval, ruling.

    `high_us` is None where the held-out set is too small to have an upper limit. `simulation_us`
    is the half-width of the estimate's own 95 % interval from simulated arrivals alone.
    `windows_met_ppm` is the share of the SLO's accounting windows that meet the target, None
    without a window or where no whole window fits. `more_requests`, about how many more held-out
    requests would decide, is None when decided or when no number would.
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
    """One subject under one arrival process: how it kept the server, and a verdict for each SLO.

    `note` is what was chosen for the subject, or nothing. `stretch_us`: where arrivals come in
    bursts, for each burst and each SLO the percentile of the burst's last requests; None if none of
    the SLO's class is among them. `cores`: None where rungs are no cores; `lanes`: in place of it
    where they are lanes of a core; `batch`: None where requests share no cores beside batch work;
    `control`: None where nothing steers. `spikes`: where the rate
    changes in steps, on cores. `clocks`: None where cores have no clock each. `loss`: None
    where no rule is for overload; with one verdicts are about requests that were not refused.
    `spectrum`, by percentile, and `traffic`, for each ladder of the policy, are there only where
    pictures were asked for.
    """

    subject: str
    note: str
    load: Load
    verdicts: tuple[Verdict, ...]
    stretch_us: tuple[tuple[int | None, ...], ...] = ()
    cores: CoreUse | None = None
    lanes: LaneUse | None = None
    control: ControlUse | None = None
    spikes: tuple[Spike, ...] = ()
    clocks: ClockUse | None = None
    loss: Loss | None = None
    batch: BatchUse | None = None
    spectrum: tuple[Quantile, ...] = ()
    traffic: tuple[Traffic | None, ...] = ()


@dataclass(frozen=True)
class Point:
    """The policy, and every baseline on the same requests and arrivals.

    `reference`: the baseline that energy is told relative to; None where none is.
    """

    arrivals: str
    rate_mrps: int
    policy: Run
    baselines: tuple[Run, ...]
    reference: str | None = None
