"""FIX-N: run every request on one rung, or on the nearest free rung."""

from __future__ import annotations

from typing import final

from tailc.models.baseline_syntax import NameValues, Placeholder, Syntax
from tailc.models.core_types.model import CoreTypes
from tailc.models.core_types.same_cores import same_cores, wants
from tailc.models.request_baselines import Baseline, Setup, Unfit
from tailc.models.workload import Workload


@final
class FixedRung(Baseline[CoreTypes]):
    """Baseline: all requests on one rung; `ee` is the first rung, `tl` is the last."""

    syntax = Syntax("fix-N")
    about = "every request on rung N, or on the nearest one that is free"
    rank = 25

    def examples(self, policy: CoreTypes) -> tuple[str, ...]:
        return tuple(f"fix-{rung}" for rung in between_ends(policy))

    def check_fit(self, policy: CoreTypes, values: NameValues) -> Unfit | None:
        rungs = len(policy.ladder.rungs)
        return (
            None
            if 1 <= values[Placeholder.NUMBER] <= rungs
            else Unfit(f"the policy has {rungs} rungs")
        )

    def default_names(self, policy: CoreTypes, workload: Workload) -> tuple[str, ...]:
        return ()

    def make(self, setup: Setup[CoreTypes]) -> CoreTypes:
        rung = setup.values[Placeholder.NUMBER]
        return CoreTypes(f"FIX-{rung}", (same_cores(setup.policy.ladder, wants(rung - 1)),))


def between_ends(policy: CoreTypes) -> range:
    """Numbers of the rungs between the first and the last."""
    return range(2, len(policy.ladder.rungs))
