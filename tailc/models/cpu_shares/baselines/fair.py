"""Fair: divide the host equally among all machines, including batch machines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import numpy as np

from tailc.forms.shares import PPM, Shares
from tailc.models.baseline_syntax import NameValues, Syntax
from tailc.models.cpu_shares.given_shares import GivenShares, ShareRule
from tailc.models.cpu_shares.recorded_machines import RecordedMachine, machines_of
from tailc.models.cpu_shares.static_shares import constant
from tailc.models.rule_baselines import RuleBaseline


def equal_part(shares: Shares) -> float:
    """The equal share of the host for each machine, including batch machines, as a fraction."""
    return shares.host_ppm // len(shares.machines) / PPM


def _equal_shares(shares: Shares, machines: Sequence[RecordedMachine]) -> GivenShares:
    return constant(shares, machines_of(machines), np.full(len(machines), equal_part(shares)))


_RULE = ShareRule("at an equal part of the host", shows_share=False, replay=_equal_shares)


@final
class Fair(RuleBaseline[ShareRule]):
    """Baseline: an equal share of the host for each machine."""

    syntax = Syntax("fair")
    about = _RULE.about
    rank = 20
    examples = ("fair",)
    is_default = True

    def make(self, values: NameValues) -> ShareRule:
        return _RULE
