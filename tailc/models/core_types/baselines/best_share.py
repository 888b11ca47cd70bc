"""The best constant factor on the policy's climb ages, as an ideal controller would choose it.

At a constant rate no controller that only scales the ages needs less energy, apart from the
resolution of the search.
"""

from __future__ import annotations

from dataclasses import replace
from typing import final

from tailc.forms.controller import PPM
from tailc.models.baseline_syntax import NameValues, Syntax
from tailc.models.core_types.baselines.fixed_ages import fixed_ages
from tailc.models.core_types.model import CoreTypes
from tailc.models.request_baselines import Baseline, Setup, Unfit
from tailc.models.workload import Workload
from tailc.units import format_ppm

# Sixteenths, from 0 to 1.
SHARES_PPM = tuple(range(0, PPM + 1, PPM // 16))


@final
class BestShare(Baseline[CoreTypes]):
    """Baseline: all climb ages of the policy, multiplied by the best constant factor."""

    syntax = Syntax("best-share")
    about = "the policy without its controller, the best share of its ages searched"
    rank = 45

    def examples(self, policy: CoreTypes) -> tuple[str, ...]:
        return ("best-share",)

    def check_fit(self, policy: CoreTypes, values: NameValues) -> Unfit | None:
        return None

    def default_names(self, policy: CoreTypes, workload: Workload) -> tuple[str, ...]:
        return ()

    def make(self, setup: Setup[CoreTypes]) -> CoreTypes:
        shares = (_with_share(setup.policy, share_ppm) for share_ppm in SHARES_PPM)
        return setup.search.least_energy(shares)


def _with_share(policy: CoreTypes, share_ppm: int) -> CoreTypes:
    note = f"{format_ppm(share_ppm)} of its ages"
    return replace(fixed_ages(policy, share_ppm), name="S2F at its best share", note=note)
