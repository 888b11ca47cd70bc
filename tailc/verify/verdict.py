"""What the judge says: estimates with intervals, rulings, and what they rest on."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from tailc.errors import ExitCode
from tailc.specs.slo import Slo
from tailc.verify.pictured import Quantile, Traffic


class Ruling(enum.Enum):
    """Whether an SLO is met, as far as the held-out requests can tell."""

    PASS = "pass"
    FAIL = "fail"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class RungUse:
    """How requests used the rungs, over the measured requests of all repeats.

    Mean cost rate of a request over its execution (threads, in thousandths): of all requests, of
    the longest and of the shortest twentieth by demand. `final_ppm`: share of requests that left
    on each rung.
    """

    mean_milli: int
    longest_milli: int
    shortest_milli: int
    final_ppm: tuple[int, ...]


@dataclass(frozen=True)
class Load:
    """How busy the replayed server was, as means over the measured arrivals.

    `utilization_ppm` is threads that ran over cores, None where the server has no stated capacity;
    `threads_milli` counts threads of started requests and `in_system_milli` requests in the system,
    both in thousandths. `thread_time_us`: threads times time that a request took, in the mean.
    `cut_ppm`: share of requests that were ended at the cut-off, rounded up: 0 only if none was.
    `is_overloaded`: no percentile exists, because the backlog grows.
    """

    mean_latency_us: int
    utilization_ppm: int | None
    threads_milli: int
    in_system_milli: int
    thread_time_us: int
    cut_ppm: int
    rung_use: RungUse
    is_overloaded: bool


@dataclass(frozen=True)
class TypeUse:
    """A type of core, and how busy all of it was."""

    name: str
    utilization_ppm: int


@dataclass(frozen=True)
class CoreUse:
    """Energy of a request, where rungs are whole cores: power times time, in the policy's unit of
    power times microseconds (microjoules where it is the watt).

    `request_us`: what it drew on its cores, in the mean; `low_us`, `high_us`: 95 % interval over
    the repeats, None with one. `idle_us`: what free cores drew, by request. `relative_ppm`: both
    together over those of the reference; `whole_ppm`: the same of the whole server. None without a
    reference, or where either is overloaded.
    """

    request_us: int
    low_us: int | None
    high_us: int | None
    idle_us: int
    types: tuple[TypeUse, ...]
    relative_ppm: int | None = None
    whole_ppm: int | None = None


@dataclass(frozen=True)
class IdlePeriods:
    """Idle periods longer than the entry's before, and up to `up_to_us`; None: any longer ones.

    `time_ppm`: their share of all idle time; `count_ppm`: of all idle periods.
    """

    up_to_us: int | None
    time_ppm: int
    count_ppm: int


@dataclass(frozen=True)
class IdleUse:
    """How long a core has no request, and how long at a time.

    `share_ppm`: of its time. `periods`: shortest first, without lengths that none has.
    """

    share_ppm: int
    periods: tuple[IdlePeriods, ...]


@dataclass(frozen=True)
class BatchUse:
    """Batch work by core in the mean, over that beside a free core.

    `low_ppm`, `high_ppm`: 95 % interval over the repeats, None with one.
    """

    batch_ppm: int
    low_ppm: int | None
    high_ppm: int | None


@dataclass(frozen=True)
class LaneUse:
    """How busy the lanes of a core were, in the mean, where rungs are those.

    `batch_ppm`, `low_ppm`, `high_ppm`: as in `BatchUse`. `utilization_ppm`: busy lanes of a core,
    up to 2. `idle`: when that of requests is not.
    """

    batch_ppm: int
    low_ppm: int | None
    high_ppm: int | None
    utilization_ppm: int
    idle: IdleUse


@dataclass(frozen=True)
class LevelUse:
    """A frequency, and the share of the time of busy cores that was spent at it."""

    frequency_khz: int
    share_ppm: int


@dataclass(frozen=True)
class ClockUse:
    """How cores with a clock each ran, in the mean over time.

    `power_mw`: of all cores, idle ones included; `frequency_khz`: of busy ones. `batch_ppm`: share
    of core time that batch work had, None where idle cores sleep.
    """

    power_mw: int
    frequency_khz: int
    levels: tuple[LevelUse, ...]
    batch_ppm: int | None


@dataclass(frozen=True)
class ControlUse:
    """The output of a controller after all steps that were measured: mean, and the range of nine
    in ten of them.
    """

    mean_ppm: int
    low_ppm: int
    high_ppm: int


@dataclass(frozen=True)
class Spike:
    """How the tail of the first SLO did in one stretch of a constant rate.

    `tail_us`: percentile of the requests that arrived in it, the mean of the repeats. The others
    are about the percentile of a window, measured once an epoch: `over_ppm` is the share of those
    above the target. In the mean of the repeats, `overshoot_ppm` is how far the greatest lies above
    the target, 0 if it does not, and `settling_epochs` after how many it stays within 5 % of what
    it settles to. None where the stretch is too short to tell, and for the last also where it does
    not settle.
    """

    stretch: str
    tail_us: int | None
    over_ppm: int | None
    overshoot_ppm: int | None
    settling_epochs: int | None


@dataclass(frozen=True)
class Loss:
    """What rules for overload took from requests, as shares of all that arrived.

    refused_ppm, cut_ppm, degraded_ppm: of the requests, rounded up: 0 only if none was. work_ppm:
    of the work, the share that was not done, whatever the reason; low_ppm, high_ppm: its 95 %
    interval over the repeats, None with one.
    """

    refused_ppm: int
    cut_ppm: int
    degraded_ppm: int
    work_ppm: int
    low_ppm: int | None
    high_ppm: int | None


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


@dataclass(frozen=True)
class Distance:
    """A distance between two distributions of demand, and its 95 % interval, in a whole unit."""

    estimate: int
    low: int
    high: int


@dataclass(frozen=True)
class Drift:
    """How far held-out demand lies from the demand that the policy was compiled for.

    `ks_ppm`: largest difference of the distribution functions (Kolmogorov-Smirnov), in millionths.
    `wasserstein_us`: mean distance of equal quantiles. Means of both in microseconds.
    `is_flagged`: they differ by more than two samples of one service would.
    """

    ks_ppm: Distance
    wasserstein_us: Distance
    compiled_mean_us: int
    held_out_mean_us: int
    is_flagged: bool


@dataclass(frozen=True)
class Verdicts:
    """Every point, and what the verdict rests on.

    `drift` None: the artifact does not tell. `cut_off_us`: execution time at which requests were
    ended, None where none is. `other_power_ppm`: share of the reference's server whose power is not
    that of cores. `settling_requests`: so many come before those of a replay at a constant rate,
    and are not measured. `shared`: what requests compete for, and what `threads` count.
    """

    policy_name: str
    generation: int
    held_out_digest: str
    held_out_requests: int
    is_compile_trace: bool
    seed: int
    requests_per_replay: int
    replicates: int
    slos: tuple[Slo, ...]
    points: tuple[Point, ...]
    drift: Drift | None = None
    cut_off_us: int | None = None
    other_power_ppm: int = 0
    settling_requests: int = 0
    shared: str = "threads"

    @property
    def ruling(self) -> Ruling:
        """Fail if any point of the policy fails, else undecided if any is, else pass."""
        rulings = {said.ruling for point in self.points for said in point.policy.verdicts}
        for ruling in (Ruling.FAIL, Ruling.UNDECIDED):
            if ruling in rulings:
                return ruling
        return Ruling.PASS

    @property
    def exit_code(self) -> ExitCode:
        """What the process says: 0 all pass, 1 an SLO is missed, 4 undecided."""
        return {
            Ruling.PASS: ExitCode.OK,
            Ruling.FAIL: ExitCode.MISSED,
            Ruling.UNDECIDED: ExitCode.UNDECIDED,
        }[self.ruling]
