"""RC: who knows the demands starts the longest on fast cores, and all others on slow ones.

Haque et al., MICRO 2017, section 5.5: how many are the longest is searched at each load, for the
least energy that meets the target.
"""

from __future__ import annotations

import numpy as np

from tailc.forms.ladder.table import Ladder
from tailc.models.baselines.search import Search
from tailc.models.core_types.baselines.same_cores import same_cores, wants
from tailc.models.subject import Subject
from tailc.models.workload import Workload
from tailc.percentiles import percentile_rank
from tailc.units import format_us

# Shares of requests that are not among the longest.
SHARES_PPM = (*range(0, 900_000, 50_000), *range(900_000, 1_000_001, 10_000))
_NS_PER_US = 1_000


def clairvoyant(ladder: Ladder, threshold_us: int, load: Workload) -> Subject:
    """Requests of more work than that want the fastest type, or a slower one until it is free.

    All others stay on the slowest, and make no room.
    """
    fastest = len(ladder.rungs) - 1
    ladders = tuple(same_cores(ladder, wants(rung), make_room=False) for rung in (0, fastest))
    return Subject(
        "RC",
        ladders,
        (load.work_ns > threshold_us * _NS_PER_US).astype(np.int32),
        note=f"threshold {format_us(threshold_us)}",
    )


def with_searched_threshold(ladder: Ladder, load: Workload, search: Search) -> Subject:
    """The threshold of the least energy at the target."""
    return search.least_energy(
        clairvoyant(ladder, threshold_us, load) for threshold_us in _thresholds_us(load)
    )


def _thresholds_us(load: Workload) -> tuple[int, ...]:
    """Ascending, from all requests to none."""
    ranks = [percentile_rank(share, load.requests) for share in SHARES_PPM if share]
    above = [-(-load.work_at(rank) // _NS_PER_US) for rank in ranks]
    return tuple(dict.fromkeys([0, *above]))
