"""What the judge says of machines with throughput targets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tailc.errors import ExitCode
from tailc.experiment.block_means import ErrorOf
from tailc.experiment.recorded_periods import ModelErrors
from tailc.experiment.ruling import Ruling
from tailc.models.cpu_shares.usage import HostUsage


@dataclass(frozen=True)
class MachineDrift:
    """What has become of a machine since the compile.

    throughput: by the same share, relative to what it was, less 1. memory: a of its model, less
    what it was; None where shares hardly changed.
    """

    throughput: ErrorOf
    memory: ErrorOf | None
    is_flagged: bool


@dataclass(frozen=True)
class BaselineError:
    """A machine under shares that are given: the error, and the mean share that it got."""

    error_ppm: int
    share_ppm: int


@dataclass(frozen=True)
class Baseline:
    """Shares that are given. about: what they are. is_share_told: whether reports tell them."""

    name: str
    about: str
    is_share_told: bool


@dataclass(frozen=True)
class MachineVerdict:
    """A machine under the policy, relative to its target.

    error: of its throughput. model: of what its models said a step before; None where it did
    nothing. share_ppm: the mean share that it got. max_milli: throughput at the whole host, by the
    held-out rows; short_ppm: part of the steps in which its target was reported as out of reach;
    capped_ppm: part of the steps with a cap, since its throughput did not follow its share.
    beside: under each baseline, by its name. more_steps: how many more would decide, where the
    ruling is undecided and they can. drift: since the compile; None where it is not known.
    """

    name: str
    target_milli: int
    ruling: Ruling
    error: ErrorOf
    model: ModelErrors | None
    share_ppm: int
    max_milli: int
    short_ppm: int
    capped_ppm: int
    beside: Mapping[str, BaselineError]
    more_steps: int | None
    drift: MachineDrift | None

    @property
    def is_attainable(self) -> bool:
        """Whether the whole host would do it, as the held-out rows have it."""
        return self.target_milli <= self.max_milli


@dataclass(frozen=True)
class ThroughputVerdicts:
    """Every machine with a target, and what the verdict rests on.

    tolerance_ppm: the error that is promised, or that was asked for. baselines: in the order in
    which they are told. usage: of the host, under the policy.
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
    baselines: tuple[Baseline, ...]
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
        """What the process says: 0 all pass, 1 a target is missed, 4 undecided."""
        return {
            Ruling.PASS: ExitCode.OK,
            Ruling.FAIL: ExitCode.MISSED,
            Ruling.UNDECIDED: ExitCode.UNDECIDED,
        }[self.ruling]
