"""Verdict on a policy: estimates with intervals, rulings, and their basis."""

from __future__ import annotations

from dataclasses import dataclass

from tailc.errors import ExitCode, Finding
from tailc.experiment.demand_drift import Drift
from tailc.experiment.point import Point
from tailc.experiment.ruling import Ruling
from tailc.specs.slo import Slo


@dataclass(frozen=True)
class Verdicts:
    """The verdicts on a policy for every SLO and arrival process, and what they are based on.

    `drift`: None if the artifact lacks the compile demand. `cut_off_us`: run time at which requests
    were ended, or None. `other_power_ppm`: power of the server outside the cores, as a share of the
    reference power. `settling_requests`: number of unmeasured requests at the start of a replay.
    `shared`: the resource that requests compete for, which `threads` counts. `comparisons`: number
    of services that the rulings, but not the intervals, are corrected for. `warnings`: reasons to
    doubt the verdict, such as requests that the policy was compiled from (TC0606).
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
    comparisons: int = 1
    warnings: tuple[Finding, ...] = ()

    @property
    def ruling(self) -> Ruling:
        """Fail if any point of the policy fails, else undecided if any is, else pass."""
        rulings = {estimate.ruling for point in self.points for estimate in point.policy.estimates}
        for ruling in (Ruling.FAIL, Ruling.UNDECIDED):
            if ruling in rulings:
                return ruling
        return Ruling.PASS

    @property
    def exit_code(self) -> ExitCode:
        """Exit code of the process: 0 all pass, 1 an SLO is missed, 4 undecided."""
        return {
            Ruling.PASS: ExitCode.OK,
            Ruling.FAIL: ExitCode.MISSED,
            Ruling.UNDECIDED: ExitCode.UNDECIDED,
        }[self.ruling]
