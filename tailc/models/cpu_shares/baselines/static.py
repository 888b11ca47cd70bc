"""Static: constant shares, either the best ones or given ones (Bartolini, 2015, 2.2.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import numpy as np

from tailc.forms.shares import PPM, Shares
from tailc.models.baseline_syntax import NameValues, Placeholder, Syntax
from tailc.models.cpu_shares.given_shares import GivenShares, ShareRule
from tailc.models.cpu_shares.recorded_machines import RecordedMachine, machines_of
from tailc.models.cpu_shares.static_shares import best_static, constant, within_host
from tailc.models.rule_baselines import RuleBaseline
from tailc.units import QuantityError, QuantityFault, format_ppm


def _best(shares: Shares, machines: Sequence[RecordedMachine]) -> GivenShares:
    return best_static(shares, machines_of(machines))


def _rule(part_ppm: int) -> ShareRule:
    if not 0 < part_ppm <= PPM:
        message = f"a share must be above 0 % and at most 100 %, not `{format_ppm(part_ppm)}`"
        raise QuantityError(QuantityFault.OUT_OF_RANGE, message, "for example `30%`")

    def replay_constant(shares: Shares, machines: Sequence[RecordedMachine]) -> GivenShares:
        parts = within_host(shares, np.full(len(machines), part_ppm / PPM))
        return constant(shares, machines_of(machines), parts)

    about = f"error at {format_ppm(part_ppm)} of the host each, or less where there is not as much"
    return ShareRule(about, shows_share=True, replay=replay_constant)


_BEST = ShareRule("error at the best share that never changes", shows_share=True, replay=_best)


@final
class Static(RuleBaseline[ShareRule]):
    """Baseline: a constant share for each machine, the best one or the one in the name."""

    syntax = Syntax("static[-SHARE]")
    about = _BEST.about
    rank = 10
    examples = ("static", "static-30%")
    is_default = True

    def make(self, values: NameValues) -> ShareRule:
        part_ppm = values.get(Placeholder.SHARE)
        return _BEST if part_ppm is None else _rule(part_ppm)
