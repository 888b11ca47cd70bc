"""Baseline: the policy without its controller; its climb ages, or a fraction of them, are fixed.

Source: Haque et al., MICRO 2017, figure 2.
"""

from __future__ import annotations

from typing import final

from tailc.forms.controller import PPM, scaled_ladder
from tailc.models.baseline_syntax import NameValues, Placeholder, Syntax
from tailc.models.core_types.model import CoreTypes
from tailc.models.request_baselines import Baseline, Setup, Unfit
from tailc.models.workload import Workload
from tailc.units import format_ppm


@final
class FixedAges(Baseline[CoreTypes]):
    """Baseline: the policy without its feedback controller, so that climb ages are fixed.

    It is a default baseline if the policy has a controller.
    """

    syntax = Syntax("s2f[-SHARE]")
    about = "the policy without its controller, its ages as written or a share of them"
    rank = 40

    def examples(self, policy: CoreTypes) -> tuple[str, ...]:
        return ("s2f", "s2f-50%")

    def check_fit(self, policy: CoreTypes, values: NameValues) -> Unfit | None:
        if (values.get(Placeholder.SHARE) or 0) <= PPM:
            return None
        return Unfit("ages are scaled by 0 % to 100 %", "for example `s2f-50%`")

    def default_names(self, policy: CoreTypes, workload: Workload) -> tuple[str, ...]:
        return ("s2f",) if policy.controller is not None else ()

    def make(self, setup: Setup[CoreTypes]) -> CoreTypes:
        share_ppm = setup.values.get(Placeholder.SHARE)
        return fixed_ages(setup.policy, PPM if share_ppm is None else share_ppm)


def fixed_ages(policy: CoreTypes, share_ppm: int = PPM) -> CoreTypes:
    """Make the policy without its controller, with all climb ages multiplied by a factor [1e-6]."""
    ladders = tuple(scaled_ladder(ladder, share_ppm) for ladder in policy.ladders)
    share = "" if share_ppm == PPM else f" at {format_ppm(share_ppm)}"
    return CoreTypes(f"S2F{share}", ladders, policy.ladder_of)
