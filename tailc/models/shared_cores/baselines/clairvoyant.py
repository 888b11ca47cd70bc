"""RC: with all demands known, run long requests on a fixed rung and all others on the first.

The load is ignored (Haque et al., ASPLOS 2015, section 6: degree 4 above 225 ms on Lucene, found by
search).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import final

import numpy as np

from tailc.forms.ladder.table import Ladder
from tailc.models.baseline_syntax import NameValues, Placeholder, Syntax
from tailc.models.request_baselines import Baseline, Setup, Unfit
from tailc.models.shared_cores.model import SharedCores
from tailc.models.shared_cores.same_server import no_such_rung, same_server, stays_on
from tailc.models.workload import Workload
from tailc.percentiles import PPM, percentile_rank
from tailc.units import format_us

# Candidate thresholds: these percentiles of the demand, 5 % to 95 %.
STEP_PPM = 50_000
_DIGITS = 3
_NS_PER_US = 1_000


@final
class ClairvoyantDegree(Baseline[SharedCores]):
    """Baseline: requests of long demand run in parallel from the start; demand is known in advance.

    The threshold of demand is searched for unless the name of the baseline has it.
    """

    syntax = Syntax("rc-N[>TIME]")
    about = "requests of more than TIME of work on rung N, the others on the first"
    rank = 50

    def examples(self, policy: SharedCores) -> tuple[str, ...]:
        last = len(policy.ladder.rungs)
        return (f"rc-{last}", f"rc-{last}>225ms")

    def check_fit(self, policy: SharedCores, values: NameValues) -> Unfit | None:
        return no_such_rung(policy.ladder, values[Placeholder.NUMBER] - 1)

    def default_names(self, policy: SharedCores, workload: Workload) -> tuple[str, ...]:
        last = len(policy.ladder.rungs)
        return (f"rc-{last}",) if last > 1 else ()

    def make(self, setup: Setup[SharedCores]) -> SharedCores:
        values, ladder, workload = setup.values, setup.policy.ladder, setup.workload
        rung, threshold_us = values[Placeholder.NUMBER] - 1, values.get(Placeholder.TIME)
        if threshold_us is None:
            return with_searched_threshold(ladder, rung, workload, setup.search.tail_us)
        return clairvoyant(ladder, rung, threshold_us, workload)


def clairvoyant(ladder: Ladder, rung: int, threshold_us: int, load: Workload) -> SharedCores:
    """Run requests of more than `threshold_us` of work on `rung`, all others on the first."""
    return SharedCores(
        f"RC-{rung + 1}",
        (same_server(ladder, (stays_on(0),)), same_server(ladder, (stays_on(rung),))),
        (load.work_ns > threshold_us * _NS_PER_US).astype(np.int32),
        note=f"threshold {format_us(threshold_us)}",
    )


def with_searched_threshold(
    ladder: Ladder, rung: int, load: Workload, tail_of: Callable[[SharedCores], int]
) -> SharedCores:
    """Find the threshold of demand with the least percentile; ties go to the lowest one.

    Longer requests run on `rung` from the start. `tail_of` replays a baseline and returns its
    percentile of latency.
    """
    tried = [clairvoyant(ladder, rung, threshold, load) for threshold in thresholds_us(load)]
    return min(tried, key=tail_of)


def thresholds_us(load: Workload) -> tuple[int, ...]:
    """Demands at every `STEP_PPM` of the requests, rounded to three digits, ascending."""
    ranks = (percentile_rank(part, load.requests) for part in range(STEP_PPM, PPM, STEP_PPM))
    return tuple(dict.fromkeys(_at_three_digits(load.work_at(rank)) for rank in ranks))


def _at_three_digits(work_ns: int) -> int:
    work_us = max(round(work_ns / _NS_PER_US), 1)
    return round(work_us, min(_DIGITS - len(str(work_us)), 0))
