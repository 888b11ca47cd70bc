"""A column of the published trends: which table of FM, on cores that threads hold or give back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from bench.study import Study
from tailc.forms.ladder.table import AdmissionKind, Ladder

# As many as fit on 15 cores with four threads each, strictly below the limit of the paper.
BOOSTED_REQUESTS = 3
MS_PER_US = 1e-3


@dataclass(frozen=True)
class View:
    """What is called FM in a column, and where it is replayed."""

    title: str
    study: Study
    policy: str

    @property
    def ladder(self) -> Ladder:
        return self.study.subject(self.policy).ladders[0]

    @property
    def gives_back(self) -> bool:
        """Then what a rung occupies is not its threads."""
        return all(rung.cost_ppm == (rung.speed_ppm,) for rung in self.ladder.rungs)


Said = Callable[[View], str]


def given_back(ladder: Ladder) -> Ladder:
    """The same if a thread that waits for the others of its request leaves its core.

    Then a request on d threads occupies as many cores as its speed-up, not d. At most three
    requests are boosted in both.
    """
    rungs = tuple(replace(rung, cost_ppm=(rung.speed_ppm,)) for rung in ladder.rungs)
    boost = ladder.boost
    if boost is not None:
        boost = replace(boost, below_ppm=(BOOSTED_REQUESTS + 1) * rungs[-1].speed_ppm)
    return replace(ladder, rungs=rungs, boost=boost)


def planned_threads(view: View, in_system: int) -> float:
    """Mean threads at a load by the table alone (Haque et al., ASPLOS 2015, eq. 2), one curve."""
    ladder = view.ladder
    row = next(row for row in ladder.rows if in_system <= (row.last_load or in_system))
    assert row.admission.kind is not AdmissionKind.ON_EXIT
    left_ms = view.study.demand_ms
    latency_ms = np.full(len(left_ms), row.admission.delay_us * MS_PER_US)
    thread_time_ms = np.zeros(len(left_ms))
    ends_us = [*(climb.age_us for climb in row.climbs[1:]), np.inf]
    for climb, end_us in zip(row.climbs, ends_us, strict=True):
        speed = ladder.rungs[climb.rung].speed_ppm / 1e6
        stay_ms = np.minimum((end_us - climb.age_us) * MS_PER_US, left_ms / speed)
        left_ms = left_ms - stay_ms * speed
        latency_ms += stay_ms
        thread_time_ms += (climb.rung + 1) * stay_ms
    return in_system * float(thread_time_ms.sum() / latency_ms.sum())
