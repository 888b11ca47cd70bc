"""What the judge says of a plan: money, energy and broken promises, with intervals over windows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tailc.errors import ExitCode
from tailc.experiment.ruling import Ruling
from tailc.experiment.window_means import MeanOf
from tailc.forms.plan.plan import Plan
from tailc.models.datacentre.job_model import JobWords
from tailc.models.datacentre.quantities import Quantity
from tailc.models.datacentre.window import Window


@dataclass(frozen=True, eq=False)
class Figures:
    """What one policy did.

    gains: by how much the plan has more, within the same windows; empty for the plan itself.
    """

    name: str
    means: Mapping[Quantity, MeanOf]
    gains: Mapping[Quantity, MeanOf]


@dataclass(frozen=True)
class Spans:
    """So many windows of `epochs` of `epoch_s` each; from, until_unix_s: begin of the first and end
    of the last.
    """

    windows: int
    epochs: int
    epoch_s: int
    from_unix_s: int
    until_unix_s: int

    @classmethod
    def of(cls, plan: Plan, windows: Sequence[Window]) -> Spans:
        """Windows as long as the plan; ValueError where there is none."""
        if not windows:
            raise ValueError("there is a window at least")
        epochs, epoch_s = len(plan.epochs), plan.epoch_s
        first_s, last_s = windows[0].start_unix_s, windows[-1].start_unix_s
        return cls(len(windows), epochs, epoch_s, first_s, last_s + epochs * epoch_s)


@dataclass(frozen=True, eq=False)
class PlanVerdict:
    """The plan's prices at work beside the baselines, on the same windows.

    words: how its jobs are spoken of. promised_ppm: of the jobs, no larger part has its promise
    broken. judged: the quantity that tells. failures_ppm: of servers with a job so many failed in
    an hour. more_windows: how many more would decide, where the ruling is undecided and they can.
    """

    words: JobWords
    spans: Spans
    jobs: int
    seed: int
    failures_ppm: int
    promised_ppm: int
    judged: Quantity
    ruling: Ruling
    more_windows: int | None
    policy: Figures
    baselines: tuple[Figures, ...]

    @property
    def broken(self) -> MeanOf:
        """The share of jobs whose promise the plan broke."""
        return self.policy.means[self.judged]

    @property
    def exit_code(self) -> ExitCode:
        """What the process says: 0 pass, 1 fail, 4 undecided."""
        return {
            Ruling.PASS: ExitCode.OK,
            Ruling.FAIL: ExitCode.MISSED,
            Ruling.UNDECIDED: ExitCode.UNDECIDED,
        }[self.ruling]
