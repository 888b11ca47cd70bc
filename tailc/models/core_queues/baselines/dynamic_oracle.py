"""Dynamic oracle: a frequency for each request by one who knows all arrivals and demands.

How they are chosen stands in `tailc.models.core_queues.clairvoyant_levels` (after Bartolini, 2015,
section 3.9.1, who leaves it open).
"""

from __future__ import annotations

from dataclasses import replace

from tailc.models.baselines.search import Search
from tailc.models.core_queues.clocks import Clocks, Foresight
from tailc.models.subject import Subject


def dynamic_oracle(clocks: Clocks, search: Search) -> Subject:
    """As many requests within the target as the SLO asks, and little energy."""
    rule = Foresight(search.percentile_ppm, search.target_us)
    return Subject("dynamic oracle", clocks=replace(clocks, rule=rule))
