"""The policy without boosting (Haque et al., ASPLOS 2015, figure 10c)."""

from __future__ import annotations

from dataclasses import replace
from typing import final

from tailc.forms.ladder.table import Ladder, Rule
from tailc.models.baseline_syntax import NameValues, Syntax
from tailc.models.request_baselines import Baseline, Setup, Unfit
from tailc.models.shared_cores.model import SharedCores
from tailc.models.workload import Workload


@final
class WithoutBoosting(Baseline[SharedCores]):
    """Baseline for policies that boost: the policy without boosting."""

    syntax = Syntax("no-boost")
    about = "the table of the policy without boosting"
    rank = 60

    def examples(self, policy: SharedCores) -> tuple[str, ...]:
        return ("no-boost",)

    def check_fit(self, policy: SharedCores, values: NameValues) -> Unfit | None:
        return None if policy.ladder.boost else Unfit("the policy does not boost")

    def default_names(self, policy: SharedCores, workload: Workload) -> tuple[str, ...]:
        return ("no-boost",)

    def make(self, setup: Setup[SharedCores]) -> SharedCores:
        return without_boosting(setup.policy)


def without_boosting(policy: SharedCores) -> SharedCores:
    """The policy with the same rows of its ladder, but without boosting."""
    return replace(
        policy,
        name="policy without boosting",
        ladders=tuple(_without_boost(ladder) for ladder in policy.ladders),
        boosts_at_start=False,
        note="",
    )


def _without_boost(ladder: Ladder) -> Ladder:
    rules = tuple(rule for rule in ladder.rules if rule is not Rule.BOOST_LAST_RUNG)
    return replace(ladder, rules=rules, boost=None)
