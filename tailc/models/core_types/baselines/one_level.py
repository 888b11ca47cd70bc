"""Ideal Pegasus: all cores at one level, the best for the rate (Haque et al., MICRO 2017, 5.5).

Under a changing rate, the level for the measured rate is looked up every 5 s.
"""

from __future__ import annotations

from typing import final

from tailc.forms.ladder.table import Ladder
from tailc.models.baseline_syntax import NameValues, Syntax
from tailc.models.core_types.by_rate import least_energy_by_rate
from tailc.models.core_types.model import CoreTypes
from tailc.models.core_types.same_cores import is_in_place, same_cores, wants
from tailc.models.execution_model import BaselineSearch
from tailc.models.request_baselines import Baseline, Setup, Unfit
from tailc.models.workload import Workload


@final
class OneLevel(Baseline[CoreTypes]):
    """Baseline for cores with several frequencies: all cores run at one level."""

    syntax = Syntax("pegasus")
    about = "all cores on one level, searched for each rate"
    rank = 90

    def examples(self, policy: CoreTypes) -> tuple[str, ...]:
        return ("pegasus",)

    def check_fit(self, policy: CoreTypes, values: NameValues) -> Unfit | None:
        is_here = is_in_place(policy.ladder)
        return (
            None
            if is_here
            else Unfit("it sets the level of all cores, but this server has no levels")
        )

    def default_names(self, policy: CoreTypes, workload: Workload) -> tuple[str, ...]:
        return ()

    def make(self, setup: Setup[CoreTypes]) -> CoreTypes:
        return one_level(setup.policy.ladder, setup.search)


def one_level(ladder: Ladder, search: BaselineSearch) -> CoreTypes:
    """Make the baseline with all cores at one frequency level, the one of least energy.

    It meets the target, and is chosen for each rate of a changing load.
    """
    levels = (
        CoreTypes("Pegasus", (same_cores(ladder, wants(rung)),), note=f"level {level.name}")
        for rung, level in enumerate(ladder.rungs)
    )
    return least_energy_by_rate(tuple(levels), search)
