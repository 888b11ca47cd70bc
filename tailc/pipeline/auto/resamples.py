"""How often one table is worse than another, over resamples of the records."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Generic

import numpy as np
from numpy.typing import NDArray

from tailc.experiment.sizes import Seed
from tailc.experiment.tuning_objective import TuningObjective
from tailc.models.tail_resampling import bootstrap_with_fitted_tail
from tailc.tuning.criteria import penalized_amounts
from tailc.tuning.operating_point import operating_points
from tailc.tuning.search import fewest_requests
from tailc.tuning.table_server import TableServer
from tailc.tuning.tuning_sample import Form, Measurements, TuningSample, tuning_sample

# The relative error of a tail in the replay of a resample.
_NOISE = 0.05
# Weight of an excess above that error.
_WORSE = 5.0


@dataclass(frozen=True, eq=False)
class Resamples(Generic[Form]):
    """Replays of bootstrap samples of the requests at each rate, the same for all tables."""

    trials: TuningSample[Form]
    aim: TuningObjective

    def amounts(self, seen: Measurements) -> NDArray[np.float64]:
        """Compute the minimised amount from measurements, float64 (tables, resamples, rates)."""
        return self.by_resample(penalized_amounts(seen, self.aim))

    def by_resample(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Reshape values from (tables, resamples * rates) to (tables, resamples, rates)."""
        return values.reshape(len(values), -1, len(self.aim.rates_mrps))

    def only(self, numbers: Sequence[int]) -> TuningSample[Form]:
        """Select the resamples of these numbers, each at all rates."""
        rates = len(self.aim.rates_mrps)
        return self.trials.only(
            [number * rates + rate for number in numbers for rate in range(rates)]
        )


def resamples_of(
    machine: TableServer[Form],
    aim: TuningObjective,
    count: int,
    workers: Executor,
) -> Resamples[Form]:
    """Draw `count` bootstrap samples of the requests, each with its own arrivals."""
    drawn = [
        tuning_sample(
            operating_points(
                bootstrap_with_fitted_tail(machine.load, Seed.RESAMPLES + number),
                aim,
                machine.settling,
            ),
            aim.percentile_ppm,
            machine.cores,
            requests=2 * fewest_requests(aim.percentile_ppm),
            repeats=1,
            seed=Seed.RESAMPLES + number,
            workers=workers,
            subject_of=machine.subject_of,
        )
        for number in range(count)
    ]
    trials = replace(
        drawn[0],
        experiments=tuple(each for one in drawn for each in one.experiments),
        objectives=tuple(each for one in drawn for each in one.objectives),
    )
    return Resamples(trials, aim)


def losses(own: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.float64]:
    """Share of resamples in which each table is significantly worse than the best other somewhere.

    A resample is a bootstrap sample of the requests; somewhere means at some rate. own: the
    minimised amount of each table (tables, resamples, rates). others: that of the tables to compare
    with (others, resamples, rates).
    """
    best = others.min(axis=0)
    return (own > (1 + _NOISE) * best).any(axis=2).mean(axis=1)


def regrets(own: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.float64]:
    """Regret of each table: mean relative excess of the minimised amount over the best other table.

    own, others: amounts (tables, resamples, rates). An excess beyond noise has a larger weight.
    """
    change = own / others.min(axis=0) - 1.0
    return (change + _WORSE * np.maximum(change - _NOISE, 0.0)).mean(axis=(1, 2))
