"""A sample that is heavier than the one at hand, as another one of the same law may be."""

from __future__ import annotations

from tailc.experiment.sizes import Seed
from tailc.experiment.tuning_objective import TuningObjective
from tailc.forms.ladder.table import Ladder
from tailc.models.perturbations import with_more_work
from tailc.models.streams import NS_PER_S_IN_MRPS
from tailc.models.tail_resampling import bootstrap_with_fitted_tail
from tailc.models.workload import Workload
from tailc.tuning.tuning_problem import TuningProblem

# Of so many resamples, in order of their mean, the one with so many below it.
_DRAWN, _BELOW = 40, 37
# It is so many times as long in the mean as the sample at least.
_LEAST_TIMES = 1.2
# Beyond that a queue has no tail that a replay could tell.
_MOST_BUSY = 0.92


def heavier(load: Workload, problem: TuningProblem[Ladder], objective: TuningObjective) -> Workload:
    """A resample whose mean demand is at the 93rd percentile of resamples, stretched to 1.2 times
    the sample's mean at least; shrunk where it would keep more than 92 % of the server busy.
    """
    drawn = [bootstrap_with_fitted_tail(load, Seed.HEAVIER + number) for number in range(_DRAWN)]
    heavy = sorted(drawn, key=lambda one: one.mean_work_ns)[_BELOW]
    most_per_s = max(objective.rates_mrps) / NS_PER_S_IN_MRPS
    busy = most_per_s * heavy.mean_work_ns / problem.capacity_of(load)
    wanted = max(_LEAST_TIMES * load.mean_work_ns / heavy.mean_work_ns, 1.0)
    return with_more_work(heavy, min(wanted, _MOST_BUSY / busy))
