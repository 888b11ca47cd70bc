"""Verdict on a plan: money, energy and broken promises, with intervals over windows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tailc.errors import ExitCode
from tailc.experiment.ruling import Ruling
from tailc.experiment.window_means import WindowMean
from tailc.forms.plan.plan import Plan
from tailc.models.datacentre.job_model import JobWords
from tailc.models.datacentre.quantities import JobQuantity
from tailc.models.datacentre.window import JobWindow


@dataclass(frozen=True, eq=False)
class PlanMeans:
    """Means of each quantity (such as cost) over the windows of days, under one policy or baseline.

    gains: by how much the plan's mean exceeds the baseline's, paired by window; empty for the plan.
    """

    name: str
    means: Mapping[JobQuantity, WindowMean]
    gains: Mapping[JobQuantity, WindowMean]


@dataclass(frozen=True)
class Spans:
    """The time that a verdict covers: windows of `epochs` epochs of `epoch_s` seconds each.

    from_unix_s, until_unix_s: start of the first and end of the last.
    """

    windows: int
    epochs: int
    epoch_s: int
    from_unix_s: int
    until_unix_s: int

    @classmethod
    def from_windows(cls, plan: Plan, windows: Sequence[JobWindow]) -> Spans:
        """Build the time covered by windows as long as the plan.

        ValueError if there is no window.
        """
        if not windows:
            raise ValueError("there must be at least one window")
        epochs, epoch_s = len(plan.epochs), plan.epoch_s
        first_s, last_s = windows[0].start_unix_s, windows[-1].start_unix_s
        return cls(len(windows), epochs, epoch_s, first_s, last_s + epochs * epoch_s)


@dataclass(frozen=True, eq=False)
class PlanVerdict:
    """The plan's rule or prices compared with the baselines on the same windows.

    words: the words for its jobs. promised_ppm: largest promised share of jobs with a broken
    promise. judged: the quantity that decides. failures_ppm: failures per hour of a server with a
    job, in millionths. more_windows: how many more would decide, if the ruling is undecided and
    they can.
    """

    words: JobWords
    spans: Spans
    jobs: int
    seed: int
    failures_ppm: int
    promised_ppm: int
    judged: JobQuantity
    ruling: Ruling
    more_windows: int | None
    policy: PlanMeans
    baselines: tuple[PlanMeans, ...]

    @property
    def broken_share(self) -> WindowMean:
        """The share of jobs whose promise the plan broke, as a mean over windows."""
        return self.policy.means[self.judged]

    @property
    def exit_code(self) -> ExitCode:
        """Exit code of the process: 0 pass, 1 fail, 4 undecided."""
        return {
            Ruling.PASS: ExitCode.OK,
            Ruling.FAIL: ExitCode.MISSED,
            Ruling.UNDECIDED: ExitCode.UNDECIDED,
        }[self.ruling]
