"""TL: requests start on the fastest free core, for the least tail (Haque et al., MICRO 2017, 5.5).

In the paper a request moves up as soon as a faster core becomes free; here it moves at its next
quantum.
"""

from __future__ import annotations

from typing import final

from tailc.forms.ladder.table import Ladder
from tailc.models.baseline_syntax import NameValues, Syntax
from tailc.models.core_types.model import CoreTypes
from tailc.models.core_types.same_cores import same_cores, wants
from tailc.models.request_baselines import Baseline, Setup, Unfit
from tailc.models.workload import Workload


@final
class LeastTail(Baseline[CoreTypes]):
    """Baseline: requests use the fastest cores that are free."""

    syntax = Syntax("tl")
    about = "the fastest free core; the oldest move to faster ones that free"
    rank = 10

    def examples(self, policy: CoreTypes) -> tuple[str, ...]:
        return ("tl",)

    def check_fit(self, policy: CoreTypes, values: NameValues) -> Unfit | None:
        return None

    def default_names(self, policy: CoreTypes, workload: Workload) -> tuple[str, ...]:
        return ("tl",)

    def make(self, setup: Setup[CoreTypes]) -> CoreTypes:
        return least_tail(setup.policy.ladder)


def least_tail(ladder: Ladder) -> CoreTypes:
    """Make the baseline in which requests start on the fastest free core.

    When a faster core becomes free, the oldest request moves to it.
    """
    return CoreTypes("TL", (same_cores(ladder, wants(len(ladder.rungs) - 1)),))
