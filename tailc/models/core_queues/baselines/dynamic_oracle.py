"""Dynamic oracle: a frequency for each request by one who knows all arrivals and demands.

How they are chosen stands in `tailc.models.core_queues.clairvoyant_levels` (after Bartolini, 2015,
section 3.9.1, who leaves it open).
"""

from __future__ import annotations

from dataclasses import replace
from typing import final

from tailc.models.baseline_syntax import Given, Syntax
from tailc.models.core_queues.clocks import Clocks, Foresight
from tailc.models.core_queues.model import CoreQueues
from tailc.models.execution_model import Search
from tailc.models.request_baselines import Baseline, Setup, Unfit
from tailc.models.workload import Workload


@final
class DynamicOracle(Baseline[CoreQueues]):
    """Of cores that share no chip."""

    syntax = Syntax("dynamic-oracle")
    about = "a frequency for each request, knowing all arrivals and demands"
    rank = 30

    def examples(self, policy: CoreQueues) -> tuple[str, ...]:
        return ("dynamic-oracle",)

    def unfit(self, policy: CoreQueues, given: Given) -> Unfit | None:
        if policy.clocks.chip is None:
            return None
        return Unfit("it knows of one core at a time, and these share a limit of power")

    def default_names(self, policy: CoreQueues, workload: Workload) -> tuple[str, ...]:
        return ("dynamic-oracle",)

    def make(self, setup: Setup[CoreQueues]) -> CoreQueues:
        return dynamic_oracle(setup.policy.clocks, setup.search)


def dynamic_oracle(clocks: Clocks, search: Search) -> CoreQueues:
    """As many requests within the target as the SLO asks, and little energy."""
    rule = Foresight(search.percentile_ppm, search.target_us)
    return CoreQueues("dynamic oracle", replace(clocks, rule=rule))
