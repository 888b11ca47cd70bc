"""EE: requests start on the slowest free core, for least energy (Haque et al., MICRO 2017, 5.5)."""

from __future__ import annotations

from typing import final

from tailc.forms.ladder.table import Ladder
from tailc.models.baseline_syntax import NameValues, Syntax
from tailc.models.core_types.model import CoreTypes
from tailc.models.core_types.same_cores import same_cores, wants
from tailc.models.request_baselines import Baseline, Setup, Unfit
from tailc.models.workload import Workload


@final
class LeastEnergy(Baseline[CoreTypes]):
    """Baseline: requests use the slowest cores that are free."""

    syntax = Syntax("ee")
    about = "slow cores, and faster ones only while those are all held"
    rank = 20

    def examples(self, policy: CoreTypes) -> tuple[str, ...]:
        return ("ee",)

    def check_fit(self, policy: CoreTypes, values: NameValues) -> Unfit | None:
        return None

    def default_names(self, policy: CoreTypes, workload: Workload) -> tuple[str, ...]:
        return ("ee",)

    def make(self, setup: Setup[CoreTypes]) -> CoreTypes:
        return least_energy(setup.policy.ladder)


def least_energy(ladder: Ladder) -> CoreTypes:
    """Make the baseline in which requests start on the slowest free core.

    If all slow cores are busy, the oldest request moves to a faster one.
    """
    return CoreTypes("EE", (same_cores(ladder, wants(0)),))
