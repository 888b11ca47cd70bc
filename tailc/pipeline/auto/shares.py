"""The controller of shares that no constant share beats: the spec's, another one, or none.

All are replayed on the measured rows. A form has one law and one pole for all machines. With a pole
near 1 shares change slowly from the first, which is what the first model needs for the target.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tailc.artifact.envelope import Policy
from tailc.errors import Code, Finding, Severity, TailcError
from tailc.experiment.recorded_periods import recorded_periods, shares_of
from tailc.forms.shares import PPM, Machine, ShareLaw, Shares
from tailc.pipeline.static_share import BASELINE, Nearer, nearer_by_constant
from tailc.problems.shares import ControllerChoice
from tailc.traces.throughput import ThroughputTrace

# The smallest of these with which no constant share is better is taken.
POLES_PPM = (300_000, 500_000, 700_000, 800_000, 900_000, 950_000, 980_000, 990_000)
# An error remains for about a thousand steps. Grants are rounded down to millionths. A controller
# that is much slower would lose more by that than its errors can give back.
CONSTANT_POLE_PPM = 999_000


@dataclass(frozen=True, eq=False)
class _Candidate:
    """Shares, and the machines that a constant share keeps nearer to their targets."""

    shares: Shares
    nearer: tuple[Nearer, ...]

    @property
    def regret_ppm(self) -> int:
        """The largest error beyond that of a constant share."""
        return max((one.own_ppm - one.constant_ppm for one in self.nearer), default=0)


def with_best_controller(
    policy: Policy, rows: ThroughputTrace, choice: ControllerChoice
) -> tuple[Policy, tuple[Finding, ...]]:
    """The policy with the first controller that no constant share beats, and what is changed.

    If there is none, the controller with the smallest error beyond that of the constant shares. A
    policy whose rows are too few to replay stays as it is.
    """
    shares = shares_of(policy)
    try:
        periods = recorded_periods(shares, rows)
    except TailcError:
        return policy, ()
    tried = [_Candidate(shares, nearer_by_constant(periods))]
    others = _others(shares, rows, choice)
    while tried[-1].nearer and (other := next(others, None)) is not None:
        tried.append(_Candidate(other, nearer_by_constant(recorded_periods(other, rows))))
    best = min(tried, key=lambda one: one.regret_ppm)
    if best is tried[0]:
        return policy, ()
    forms = tuple(best.shares if form is shares else form for form in policy.forms)
    return replace(policy, forms=forms), (_remark(tried[0], best.shares),)


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
    alone = (replace(shares, machines=(machine,)) for machine in shares.served)
    return tuple(recorded_periods(one, rows).replay_baseline(BASELINE).shares[0] for one in alone)


def constant_shares(shares: Shares, parts: Sequence[float]) -> Shares:
    """A form that gives the machines with a target these parts of the host, and nearly keeps them.

    The law is that of pole placement: the observer with such a pole keeps the throughput constant,
    and not the share.
    """
    served = (
        _beginning_with(machine, part, shares.least_ppm)
        for machine, part in zip(shares.served, parts, strict=True)
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
    what = f"the policy has the law `{taken.law.value}` and the pole {taken.pole_ppm / PPM:g}"
    if taken.machines != stated.shares.machines:
        what = f"the policy begins with constant shares and has the pole {taken.pole_ppm / PPM:g}"
    was = f"`{stated.shares.law.value}` and {stated.shares.pole_ppm / PPM:g}"
    message = f"{what}, in place of {was}: with the latter, {worst.comparison}"
    hint = "`control.method: paper` writes the stated controller"
    return Finding(Code.OTHER_CONTROL, message, None, hint, Severity.WARNING)
