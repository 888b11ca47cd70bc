"""Static oracle: the lowest single frequency that meets the bound over the whole trace.

No controller that only watches the tail does better at a constant rate (Bartolini, 2015, section
3.9.1).
"""

from __future__ import annotations

from tailc.forms.tail_table import least_level
from tailc.models.baselines.search import Search
from tailc.models.core_queues.baselines.fixed import at_level
from tailc.models.core_queues.clocks import Clocks
from tailc.models.subject import Subject

NAME = "static oracle"


def static_oracle(clocks: Clocks, search: Search) -> Subject:
    """The highest where none meets the target. A faster clock delays no request, so by halving."""
    lowest, highest = least_level(clocks.table), len(clocks.table.levels) - 1
    while lowest < highest:
        level = (lowest + highest) // 2
        if search.tail_us(at_level(NAME, clocks, level)) <= search.target_us:
            highest = level
        else:
            lowest = level + 1
    return at_level(NAME, clocks, highest)
