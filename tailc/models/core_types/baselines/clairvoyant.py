"""RC: with all demands known, start the longest requests on fast cores, all others on slow ones.

Haque et al., MICRO 2017, section 5.5: the threshold between the two is searched at each load, for
the least energy that meets the target.
"""

from __future__ import annotations

from typing import final

import numpy as np

from tailc.forms.ladder.table import Ladder
from tailc.models.baseline_syntax import NameValues, Placeholder, Syntax
from tailc.models.core_types.model import CoreTypes
from tailc.models.core_types.same_cores import same_cores, wants
from tailc.models.execution_model import BaselineSearch
from tailc.models.request_baselines import Baseline, Setup, Unfit
from tailc.models.workload import Workload
from tailc.percentiles import percentile_rank
from tailc.units import format_us

# Shares of the requests below each candidate threshold.
SHARES_PPM = (*range(0, 900_000, 50_000), *range(900_000, 1_000_001, 10_000))
_NS_PER_US = 1_000


@final
class ClairvoyantPlacement(Baseline[CoreTypes]):
    """Baseline: each request starts on the core that suits its demand, which is known in advance.

    Requests of at least a threshold start on fast cores. The threshold is searched for unless the
    name has it.
    """

    syntax = Syntax("rc[>TIME]")
    about = "requests of more than TIME of work on the fastest type, the others on the slowest"
    rank = 30

    def examples(self, policy: CoreTypes) -> tuple[str, ...]:
        return ("rc", "rc>150ms")

    def check_fit(self, policy: CoreTypes, values: NameValues) -> Unfit | None:
        return None

    def default_names(self, policy: CoreTypes, workload: Workload) -> tuple[str, ...]:
        return ("rc",)

    def make(self, setup: Setup[CoreTypes]) -> CoreTypes:
        ladder, threshold_us = setup.policy.ladder, setup.values.get(Placeholder.TIME)
        if threshold_us is None:
            return with_searched_threshold(ladder, setup.workload, setup.search)
        return clairvoyant(ladder, threshold_us, setup.workload)


def clairvoyant(ladder: Ladder, threshold_us: int, load: Workload) -> CoreTypes:
    """Make the baseline that starts requests with more work than a threshold on the fastest cores.

    If no fast core is free, such a request starts on a slower core and moves later. All others stay
    on the slowest type and do not give up cores to older requests.
    """
    fastest = len(ladder.rungs) - 1
    ladders = tuple(same_cores(ladder, wants(rung), make_room=False) for rung in (0, fastest))
    return CoreTypes(
        "RC",
        ladders,
        (load.work_ns > threshold_us * _NS_PER_US).astype(np.int32),
        note=f"threshold {format_us(threshold_us)}",
    )


def with_searched_threshold(ladder: Ladder, load: Workload, search: BaselineSearch) -> CoreTypes:
    """Make the clairvoyant baseline with the threshold of least energy that meets the target.

    Longer requests start on the fastest cores, all others on the slowest.
    """
    return search.least_energy(
        clairvoyant(ladder, threshold_us, load) for threshold_us in _thresholds_us(load)
    )


def _thresholds_us(load: Workload) -> tuple[int, ...]:
    """Candidate thresholds, ascending, from all requests to none."""
    ranks = [percentile_rank(share, load.requests) for share in SHARES_PPM if share]
    above = [-(-load.work_at(rank) // _NS_PER_US) for rank in ranks]
    return tuple(dict.fromkeys([0, *above]))
