"""Find machines that a constant share keeps closer to their targets than the controller does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tailc.artifact.envelope import Policy
from tailc.errors import Code, Finding, Severity, TailcError
from tailc.experiment.block_means import mean_error, to_ppm
from tailc.experiment.options import FEWEST_REPLICATES
from tailc.experiment.recorded_periods import RecordedPeriods, recorded_periods, shares_of
from tailc.experiment.sizes import Seed
from tailc.problems.shares import ControllerChoice
from tailc.traces.throughput import ThroughputTrace
from tailc.units import format_ppm

BASELINE = "static"


@dataclass(frozen=True)
class Nearer:
    """A machine that the best constant share keeps closer to its target than the controller does.

    The difference is beyond chance. own_ppm, constant_ppm: mean errors under the controller and
    under the constant share.
    """

    machine: str
    share_ppm: int
    own_ppm: int
    constant_ppm: int

    @property
    def comparison(self) -> str:
        """Sentence that compares mean errors: constant CPU share against the controller."""
        share = format_ppm(round(self.share_ppm, -3))
        return (
            f"a constant share of {share} keeps `{self.machine}` closer to its target than the "
            "controller: the mean error in replays of the trace is "
            f"{_percent(self.constant_ppm)} with the constant share, and "
            f"{_percent(self.own_ppm)} with the controller"
        )


def nearer_by_constant(periods: RecordedPeriods) -> tuple[Nearer, ...]:
    """List each machine whose error in the replay is larger than with its best constant share."""
    constant = periods.replay_baseline(BASELINE)
    found = []
    for at, machine in enumerate(periods.shares.served_machines):
        own = mean_error(periods.errors[at], Seed.DESIGN, at, FEWEST_REPLICATES)
        constant_ppm = to_ppm(constant.errors[at])
        if own.low_ppm > constant_ppm:
            share_ppm = to_ppm(constant.shares[at])
            found.append(Nearer(machine.name, share_ppm, own.ppm, constant_ppm))
    return tuple(found)


# What helps, by the controllers that the compile has tried already.
_ADVICE = {
    ControllerChoice.NONE: "set `control.method: auto`, which tries other controllers",
    ControllerChoice.POLE: "remove `control.law`, so that the compile also tries other laws and "
    "constant shares",
    ControllerChoice.LAW_AND_POLE: "remove the machine from the spec, reserve that share for it "
    "outside of tailc, and lower `host.max_total` by it",
}


def static_remarks(
    policy: Policy, rows: ThroughputTrace, choice: ControllerChoice
) -> Iterator[Finding]:
    """Warn of each machine that a constant share keeps closer to its target.

    choice: the controllers that were tried. No warnings for rows that are too few to replay, which
    `verify` also refuses.
    """
    try:
        periods = recorded_periods(shares_of(policy), rows)
    except TailcError:
        return
    for one in nearer_by_constant(periods):
        yield Finding(Code.BETTER_BY_HAND, one.comparison, None, _ADVICE[choice], Severity.WARNING)


def _percent(ppm: int) -> str:
    return f"{ppm / 10_000:.1f} %"
