"""CLIMB-T: start every request on the slowest cores, and move it to the fastest at one age."""

from __future__ import annotations

from typing import final

from tailc.forms.ladder.table import Climb
from tailc.models.baseline_syntax import NameValues, Placeholder, Syntax
from tailc.models.core_types.model import CoreTypes
from tailc.models.core_types.same_cores import same_cores
from tailc.models.request_baselines import Baseline, Setup, Unfit
from tailc.models.workload import Workload
from tailc.units import format_us


@final
class OneClimb(Baseline[CoreTypes]):
    """Baseline: one climb from the slowest to the fastest type of core at a given age."""

    syntax = Syntax("climb-TIME")
    about = "slow cores, and the fastest from this age on"
    rank = 28

    def examples(self, policy: CoreTypes) -> tuple[str, ...]:
        return ("climb-50ms",)

    def check_fit(self, policy: CoreTypes, values: NameValues) -> Unfit | None:
        has_rungs = len(policy.ladder.rungs) > 1
        return (
            None
            if has_rungs
            else Unfit("there is one rung, so no request climbs", "remove this baseline")
        )

    def default_names(self, policy: CoreTypes, workload: Workload) -> tuple[str, ...]:
        return ()

    def make(self, setup: Setup[CoreTypes]) -> CoreTypes:
        age_us, ladder = setup.values[Placeholder.TIME], setup.policy.ladder
        climbs = Climb(0, 0), Climb(age_us, len(ladder.rungs) - 1)
        return CoreTypes(f"CLIMB-{format_us(age_us)}", (same_cores(ladder, climbs),))
