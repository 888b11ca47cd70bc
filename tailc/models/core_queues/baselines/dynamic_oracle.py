"""Dynamic oracle: choose each request's frequency with all arrivals and demands known.

See `tailc.models.core_queues.clairvoyant_levels` for the method (after Bartolini, 2015, section
3.9.1, who leaves it open).
"""

from __future__ import annotations

from dataclasses import replace
from typing import final

from tailc.models.baseline_syntax import NameValues, Syntax
from tailc.models.core_queues.clocks import ClairvoyantRule, Clocks
from tailc.models.core_queues.model import CoreQueues
from tailc.models.execution_model import BaselineSearch
from tailc.models.request_baselines import Baseline, Setup, Unfit
from tailc.models.workload import Workload


@final
class DynamicOracle(Baseline[CoreQueues]):
    """Baseline with the future known: each request has its own frequency, at little energy.

    For cores that share no chip.
    """

    syntax = Syntax("dynamic-oracle")
    about = "a frequency for each request, with all arrivals and demands known in advance"
    rank = 30

    def examples(self, policy: CoreQueues) -> tuple[str, ...]:
        return ("dynamic-oracle",)

    def check_fit(self, policy: CoreQueues, values: NameValues) -> Unfit | None:
        if policy.clocks.chip is None:
            return None
        return Unfit("it plans one core at a time, but these cores share a power limit")

    def default_names(self, policy: CoreQueues, workload: Workload) -> tuple[str, ...]:
        return ("dynamic-oracle",)

    def make(self, setup: Setup[CoreQueues]) -> CoreQueues:
        return dynamic_oracle(setup.policy.clocks, setup.search)


def dynamic_oracle(clocks: Clocks, search: BaselineSearch) -> CoreQueues:
    """Make the baseline that chooses each request's frequency with all arrivals and demands known.

    As many requests meet the latency target as the SLO's percentile requires, at little energy.
    """
    rule = ClairvoyantRule(search.percentile_ppm, search.target_us)
    return CoreQueues("dynamic oracle", replace(clocks, rule=rule))
