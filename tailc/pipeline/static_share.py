"""Warnings that a constant share keeps a machine nearer to its target than the controller."""

from __future__ import annotations

from collections.abc import Iterator

from tailc.artifact.envelope import Policy
from tailc.errors import Code, Finding, Severity, TailcError
from tailc.experiment.block_means import mean_error, to_ppm
from tailc.experiment.options import FEWEST_REPLICATES
from tailc.experiment.recorded_periods import RecordedPeriods, recorded_periods, shares_of
from tailc.experiment.sizes import Seed
from tailc.traces.throughput import ThroughputTrace
from tailc.units import format_ppm

_BASELINE = "static"


def static_remarks(policy: Policy, rows: ThroughputTrace) -> Iterator[Finding]:
    """A warning for each machine that a constant share keeps significantly nearer to its target.

    No warnings for rows that are too few to replay, which `verify` also refuses.
    """
    try:
        periods = recorded_periods(shares_of(policy), rows)
    except TailcError:
        return
    yield from _remarks(periods)


def _remarks(periods: RecordedPeriods) -> Iterator[Finding]:
    constant = periods.replay_baseline(_BASELINE)
    for at, machine in enumerate(periods.shares.served):
        own = mean_error(periods.errors[at], Seed.DESIGN, at, FEWEST_REPLICATES)
        static_ppm = to_ppm(constant.errors[at])
        if own.low_ppm <= static_ppm:
            continue
        share = format_ppm(round(to_ppm(constant.shares[at]), -3))
        message = (
            f"a constant share of {share} keeps `{machine.name}` nearer to its target than the "
            f"controller: replays of the trace have a mean error of {_percent(static_ppm)}, and "
            f"{_percent(own.ppm)} under the controller"
        )
        hint = "give a larger `control.pole` or `control.window`, or give the machine that share"
        yield Finding(Code.BETTER_BY_HAND, message, None, hint, Severity.WARNING)


def _percent(ppm: int) -> str:
    return f"{ppm / 10_000:.1f} %"
