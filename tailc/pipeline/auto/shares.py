"""Choose the controller of CPU shares by replay: the spec's, another one, or constant shares.

All are replayed on the measured rows. A policy has one control law and one pole for all machines.
With a pole near 1, shares change slowly from the start, so they stay near those that the first
model gives for the targets. A controller that suits one machine may keep another farther from its
target than a constant share would. The choice therefore depends on the errors of all machines, and
on the machines for which a constant share is better.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tailc.artifact.envelope import Policy
from tailc.errors import Code, Finding, Severity, TailcError
from tailc.experiment.recorded_periods import RecordedPeriods, recorded_periods, shares_of
from tailc.forms.shares import PPM, Machine, ShareLaw, Shares
from tailc.pipeline.static_share import BASELINE, Nearer, nearer_by_constant
from tailc.problems.shares import ControllerChoice
from tailc.traces.throughput import ThroughputTrace

POLES_PPM = (300_000, 500_000, 700_000, 800_000, 900_000, 950_000, 980_000, 990_000)
# An error remains for about a thousand steps. Grants are rounded down to millionths. A controller
# that is much slower would lose more by that than its errors can give back.
CONSTANT_POLE_PPM = 999_000
# Of controllers whose errors are larger than the least by no more than this, the fastest is taken.
_AS_GOOD = 1.02
# A tenth of the tolerance is added to each error, so that small errors count little.
_SMALL = 0.1
# Where a constant share is better for some machine, the errors of all must be less by that much,
_SURCHARGE = 1.1
# and the error of that machine larger by no more than this part of the tolerance.
_MOST_REGRET = 0.2


@dataclass(frozen=True, eq=False)
class _Candidate:
    """Shares, and the machines that a constant share keeps nearer to their targets.

    error: geometric mean over the machines of their mean errors and a part of the tolerance.
    """

    shares: Shares
    nearer: tuple[Nearer, ...]
    error: float

    @property
    def regret_ppm(self) -> int:
        """The largest error beyond that of a constant share."""
        return max((one.own_ppm - one.constant_ppm for one in self.nearer), default=0)

    @property
    def score(self) -> float:
        """The error, with a surcharge if a constant share is better for some machine."""
        return self.error * _SURCHARGE if self.nearer else self.error


def with_best_controller(
    policy: Policy, rows: ThroughputTrace, choice: ControllerChoice
) -> tuple[Policy, tuple[Finding, ...]]:
    """Give the policy the controller of CPU shares that is best on measured throughput.

    Also returns notes of what has changed. The policy is unchanged if no constant share is better
    for any machine, or if the trace has too few rows for a replay.
    """
    shares = shares_of(policy)
    try:
        periods = recorded_periods(shares, rows)
    except TailcError:
        return policy, ()
    stated = _candidate(periods)
    if not stated.nearer:
        return policy, ()
    others = _others(shares, rows, choice)
    tried = [stated, *(_candidate(recorded_periods(other, rows)) for other in others)]
    best = _best(tried, _MOST_REGRET * shares.tolerance_ppm)
    if best is stated:
        return policy, ()
    forms = tuple(best.shares if form is shares else form for form in policy.forms)
    return replace(policy, forms=forms), (_remark(stated, best.shares),)


def _candidate(periods: RecordedPeriods) -> _Candidate:
    errors = periods.errors.mean(axis=1) + _SMALL * periods.shares.tolerance_ppm / PPM
    error = float(np.exp(np.log(errors).mean()))
    return _Candidate(periods.shares, nearer_by_constant(periods), error)


def _best(tried: Sequence[_Candidate], most_regret_ppm: float) -> _Candidate:
    """The first that is as good as the best; the one of least regret if all have too much."""
    fair = [one for one in tried if one.regret_ppm <= most_regret_ppm]
    if not fair:
        return min(tried, key=lambda one: one.regret_ppm)
    least = min(one.score for one in fair)
    return next(one for one in fair if one.score <= _AS_GOOD * least)


def _others(shares: Shares, rows: ThroughputTrace, choice: ControllerChoice) -> Iterator[Shares]:
    """The observer, then larger and larger poles, then constant shares."""
    if choice is ControllerChoice.LAW_AND_POLE:
        yield replace(shares, law=ShareLaw.OBSERVER)
    for pole_ppm in POLES_PPM:
        if pole_ppm > shares.pole_ppm:
            yield replace(shares, pole_ppm=pole_ppm)
    if choice is ControllerChoice.LAW_AND_POLE or shares.law is ShareLaw.POLE_PLACEMENT:
        yield constant_shares(shares, _best_parts(shares, rows))


def _best_parts(shares: Shares, rows: ThroughputTrace) -> tuple[float, ...]:
    """The best constant share of each machine by itself, even if they exceed the host together.

    A host that has less cuts them in the same proportion.
    """
    alone = (replace(shares, machines=(machine,)) for machine in shares.served_machines)
    return tuple(recorded_periods(one, rows).replay_baseline(BASELINE).shares[0] for one in alone)


def constant_shares(shares: Shares, parts: Sequence[float]) -> Shares:
    """Make a policy of shares that gives each machine with a target a nearly constant share.

    parts: share of the host for each of these machines. The control law is pole placement: with a
    pole near 1 it keeps the share constant, while the observer would keep the throughput constant.
    """
    served = (
        _beginning_with(machine, part, shares.least_ppm)
        for machine, part in zip(shares.served_machines, parts, strict=True)
    )
    batch = (machine for machine in shares.machines if machine.target_milli is None)
    return replace(
        shares,
        law=ShareLaw.POLE_PLACEMENT,
        pole_ppm=max(CONSTANT_POLE_PPM, shares.pole_ppm),
        machines=(*served, *batch),
    )


def _beginning_with(machine: Machine, part: float, least_ppm: int) -> Machine:
    """The machine with a first model that needs this part of the host for the target.

    A machine that has the least share keeps its model if that needs no more.
    """
    assert machine.target_milli is not None
    needed = machine.target_milli * (PPM - machine.first_a_ppm) / PPM
    if round(part * PPM) <= least_ppm and needed * PPM <= least_ppm * machine.first_b_milli:
        return machine
    return replace(machine, first_b_milli=max(round(needed / part), 1))


def _remark(stated: _Candidate, taken: Shares) -> Finding:
    worst = max(stated.nearer, key=lambda one: one.own_ppm - one.constant_ppm)
    what = f"the policy uses the control law `{taken.law.value}`"
    if taken.machines != stated.shares.machines:
        what = "the policy starts from the best constant shares"
    was = f"`{stated.shares.law.value}` with the pole {stated.shares.pole_ppm / PPM:g}"
    taken_pole = f"with the pole {taken.pole_ppm / PPM:g}"
    message = f"{what} {taken_pole} instead of {was}, because {worst.comparison}"
    hint = "`control.method: paper` writes the stated controller"
    return Finding(Code.OTHER_CONTROL, message, None, hint, Severity.WARNING)
