"""Baseline: the policy with the same controller gains at every rate.

Source: Haque et al., MICRO 2017, figure 4.
"""

from __future__ import annotations

from dataclasses import replace
from typing import final

from tailc.forms.controller import GainRow
from tailc.models.baseline_syntax import NameValues, Syntax
from tailc.models.core_types.model import CoreTypes
from tailc.models.request_baselines import Baseline, Setup, Unfit
from tailc.models.workload import Workload


@final
class OneGain(Baseline[CoreTypes]):
    """Baseline: the controller with one set of gains at all rates.

    It is a default baseline if the policy has several sets.
    """

    syntax = Syntax("one-gain")
    about = "the policy, with the gains of its middle interval at every rate"
    rank = 100

    def examples(self, policy: CoreTypes) -> tuple[str, ...]:
        return ("one-gain",)

    def check_fit(self, policy: CoreTypes, values: NameValues) -> Unfit | None:
        return None if _gains(policy) else Unfit("the policy has no controller")

    def default_names(self, policy: CoreTypes, workload: Workload) -> tuple[str, ...]:
        return ("one-gain",) if len(_gains(policy)) > 1 else ()

    def make(self, setup: Setup[CoreTypes]) -> CoreTypes:
        return one_gain(setup.policy)


def one_gain(policy: CoreTypes) -> CoreTypes:
    """Use the gains of the controller's middle row (the lower of two) at every rate."""
    controller = policy.controller
    assert controller is not None
    middle = controller.gains[(len(controller.gains) - 1) // 2]
    alone = replace(controller, gains=(replace(middle, first_rate_mrps=0),))
    return replace(policy, name="one set of gains", steering=alone, note="")


def _gains(policy: CoreTypes) -> tuple[GainRow, ...]:
    return () if policy.controller is None else policy.controller.gains
