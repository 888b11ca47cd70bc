"""Recorded: the shares that the machines had while they were measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import final

from tailc.forms.shares import PPM, Shares
from tailc.models.baseline_syntax import NameValues, Syntax
from tailc.models.cpu_shares.given_shares import GivenShares, ShareRule
from tailc.models.cpu_shares.plant import replay
from tailc.models.cpu_shares.recorded_machines import RecordedMachine, machines_of
from tailc.models.rule_baselines import RuleBaseline


def _recorded_shares(shares: Shares, machines: Sequence[RecordedMachine]) -> GivenShares:
    """Replay each machine alone, because the measured host may have been larger than this one."""
    steps = machines_of(machines).steps
    rows = [
        _alone(replace(shares, machines=(own,), host_ppm=PPM), machine, steps)
        for own, machine in zip(shares.served_machines, machines, strict=True)
    ]
    return GivenShares(tuple(share for share, _ in rows), tuple(error for _, error in rows))


def _alone(shares: Shares, machine: RecordedMachine, steps: int) -> tuple[float, float]:
    part = replace(machine, share=machine.share[:steps], disturbed=machine.disturbed[:steps])
    outcome = replay(shares, machines_of([part]), part.share[None, :])
    return float(outcome.share[0].mean()), float(outcome.slo_error[0])


_RULE = ShareRule(
    "error at the shares that were measured", shows_share=True, replay=_recorded_shares
)


@final
class RecordedShares(RuleBaseline[ShareRule]):
    """Baseline: each machine has the CPU share that it had in the recording."""

    syntax = Syntax("recorded")
    about = _RULE.about
    rank = 30
    examples = ("recorded",)
    is_default = False

    def make(self, values: NameValues) -> ShareRule:
        return _RULE
