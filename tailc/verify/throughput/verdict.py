"""Verdict on machines with throughput targets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tailc.errors import ExitCode
from tailc.experiment.block_means import MeanError
from tailc.experiment.recorded_periods import ModelErrors
from tailc.experiment.ruling import Ruling
from tailc.models.cpu_shares.usage import HostUsage


@dataclass(frozen=True)
class MachineDrift:
    """Change of a machine's throughput model since the compile.

    throughput: relative change at the same share. memory: change of the model's coefficient a (how
    much the throughput depends on that of the step before); None if shares hardly changed.
    """

    throughput: MeanError
    memory: MeanError | None
    is_flagged: bool


@dataclass(frozen=True)
class BaselineError:
    """Throughput error of a machine under the shares of a baseline, and its mean share."""

    error_ppm: int
    share_ppm: int


@dataclass(frozen=True)
class ShareBaseline:
    """A baseline that sets the CPU shares of machines instead of the policy."""

    name: str
    about: str
    shows_share: bool


@dataclass(frozen=True)
class MachineVerdict:
    """The throughput of a machine under the policy, relative to its target.

    error: relative error of its throughput. model: one-step prediction errors of its models; None
    if it did no work. share_ppm: mean share. max_milli: throughput with the whole host, by the
    held-out rows. short_ppm: share of the steps in which the target was reported as out of reach.
    capped_ppm: share of the steps with a cap because the throughput did not follow the share.
    baselines: errors under each baseline, by name. more_steps: number of further steps that would
    decide an undecided ruling, if known. drift: since the compile; None if unknown.
    """

    name: str
    target_milli: int
    ruling: Ruling
    error: MeanError
    model: ModelErrors | None
    share_ppm: int
    max_milli: int
    short_ppm: int
    capped_ppm: int
    baselines: Mapping[str, BaselineError]
    more_steps: int | None
    drift: MachineDrift | None

    @property
    def is_attainable(self) -> bool:
        """Whether the whole host would reach the target, by the held-out rows."""
        return self.target_milli <= self.max_milli


@dataclass(frozen=True)
class ThroughputVerdicts:
    """Verdicts on the throughput of every machine with a target, and what they are based on.

    tolerance_ppm: the largest error to pass. baselines: in the order of reports. usage: of the
    host, under the policy.
    """

    policy_name: str
    generation: int
    held_out_digest: str
    held_out_rows: int
    is_compile_trace: bool
    steps: int
    step_us: int
    seed: int
    replicates: int
    tolerance_ppm: int
    baselines: tuple[ShareBaseline, ...]
    machines: tuple[MachineVerdict, ...]
    usage: HostUsage

    @property
    def ruling(self) -> Ruling:
        """Fail if any machine fails, else undecided if any is, else pass."""
        rulings = {machine.ruling for machine in self.machines}
        for ruling in (Ruling.FAIL, Ruling.UNDECIDED):
            if ruling in rulings:
                return ruling
        return Ruling.PASS

    @property
    def exit_code(self) -> ExitCode:
        """Exit code of the process: 0 all pass, 1 a target is missed, 4 undecided."""
        return {
            Ruling.PASS: ExitCode.OK,
            Ruling.FAIL: ExitCode.MISSED,
            Ruling.UNDECIDED: ExitCode.UNDECIDED,
        }[self.ruling]
