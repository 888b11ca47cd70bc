"""What the judge says: estimates with intervals, rulings, and what they rest on."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from tailc.errors import ExitCode
from tailc.specs.slo import Slo


class Ruling(enum.Enum):
    """Whether an SLO is met, as far as the held-out requests can tell."""

    PASS = "pass"
    FAIL = "fail"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Load:
    """How busy the replayed server was, as means over the measured arrivals.

    `utilization_ppm` is threads that ran over cores, None where the server has no stated capacity;
    `threads_milli` counts threads of started requests and `in_system_milli` requests in the system,
    both in thousandths. `is_overloaded`: no percentile exists, because the backlog grows.
    """

    mean_latency_us: int
    utilization_ppm: int | None
    threads_milli: int
    in_system_milli: int
    is_overloaded: bool


@dataclass(frozen=True)
class Verdict:
    """One subject at one SLO and rate: the estimate, its 95 % interval, and the ruling.

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
    load: Load

    def __post_init__(self) -> None:
        assert self.low_us <= self.estimate_us
        assert self.high_us is None or self.estimate_us <= self.high_us


@dataclass(frozen=True)
class Point:
    """The policy, and its baseline on the same requests and arrivals, at one SLO and rate."""

    slo: Slo
    rate_mrps: int
    policy: Verdict
    baseline: Verdict


@dataclass(frozen=True)
class Verdicts:
    """Every point, and what the verdict rests on."""

    policy_name: str
    generation: int
    baseline_name: str
    held_out_digest: str
    held_out_requests: int
    is_compile_trace: bool
    seed: int
    requests_per_replay: int
    replicates: int
    points: tuple[Point, ...]

    @property
    def ruling(self) -> Ruling:
        """Fail if any point of the policy fails, else undecided if any is, else pass."""
        rulings = {point.policy.ruling for point in self.points}
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
