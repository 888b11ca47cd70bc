"""Static oracle: the lowest single frequency that meets the bound over the whole trace.

At a constant rate no controller that measures only the tail does better (Bartolini, 2015, section
3.9.1).
"""

from __future__ import annotations

from typing import final

from tailc.forms.tail_table import least_level
from tailc.models.baseline_syntax import NameValues, Syntax
from tailc.models.core_queues.baselines.fixed_frequency import at_level
from tailc.models.core_queues.clocks import Clocks
from tailc.models.core_queues.model import CoreQueues
from tailc.models.execution_model import BaselineSearch
from tailc.models.request_baselines import Baseline, Setup, Unfit
from tailc.models.workload import Workload

NAME = "static oracle"


@final
class StaticOracle(Baseline[CoreQueues]):
    """Baseline: the lowest single frequency that meets the latency target in a replay."""

    syntax = Syntax("static-oracle")
    about = "the lowest single frequency that meets the SLO, searched"
    rank = 20

    def examples(self, policy: CoreQueues) -> tuple[str, ...]:
        return ("static-oracle",)

    def check_fit(self, policy: CoreQueues, values: NameValues) -> Unfit | None:
        return None

    def default_names(self, policy: CoreQueues, workload: Workload) -> tuple[str, ...]:
        return ("static-oracle",)

    def make(self, setup: Setup[CoreQueues]) -> CoreQueues:
        return static_oracle(setup.policy.clocks, setup.search)


def static_oracle(clocks: Clocks, search: BaselineSearch) -> CoreQueues:
    """Find the lowest frequency level that meets the target, by bisection.

    The highest if none does.

    search: replays a level and states the target. Bisection is exact because a higher frequency
    delays no request.
    """
    lowest, highest = least_level(clocks.table), len(clocks.table.levels) - 1
    while lowest < highest:
        level = (lowest + highest) // 2
        if search.tail_us(at_level(NAME, clocks, level)) <= search.target_us:
            highest = level
        else:
            lowest = level + 1
    return at_level(NAME, clocks, highest)
