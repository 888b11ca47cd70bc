"""Measure the highest rate at which tables meet a percentile, on the same requests at all rates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cached_property
from typing import Generic

import numpy as np
from numpy.typing import NDArray

from tailc.experiment.experiment import Experiment
from tailc.experiment.scenario import Scenario
from tailc.experiment.tuning_objective import TuningObjective
from tailc.models.execution_model import Subject
from tailc.models.outcome import nearest_us
from tailc.models.workload import Workload
from tailc.tuning.tuning_problem import TuningProblem
from tailc.tuning.tuning_sample import Form, most_in_system

# Number of rates that are tried first, in ascending order: a percentile that is kept at a high rate
# can be missed at a lower one, where other rows of the table apply.
_RATES = 10
# Bisection ends at this fraction of the rate.
_PARTS = 500


@dataclass(frozen=True, eq=False)
class HighestRates:
    """The highest rate at which each table meets the percentile in each replay.

    rates_mrps: int64 (tables, repeats) [thousandths of 1/s]; 0 if the percentile's limit is missed
    even at the lowest rate of the range, the highest rate if it is met at all rates. requests:
    number of simulated requests.
    """

    rates_mrps: NDArray[np.int64]
    requests: int


@dataclass(frozen=True, eq=False)
class RateSample(Generic[Form]):
    """Replays by which the highest rate is found at which a table's percentile is <= `limit_us`.

    Random numbers are the same for all rates and tables: a higher rate only scales the gaps between
    arrivals.
    """

    experiment: Experiment
    aim: TuningObjective
    limit_us: int
    subject_of: Callable[[Form], Subject]

    def highest_rates(self, tables: Sequence[Form]) -> HighestRates:
        """Find the highest rate of each table in each replay."""
        subjects = map(self.subject_of, tables)
        cells = [(subject, number) for subject in subjects for number in self._numbers]
        found = self.experiment.map_replays(self._highest_rate, cells)
        rates_mrps = np.array([rate_mrps for rate_mrps, _ in found], np.int64)
        replays = sum(replays for _, replays in found)
        shape = len(tables), self.experiment.repeats
        return HighestRates(rates_mrps.reshape(shape), replays * self.experiment.scenario.requests)

    def keeps_most(self, table: Form, rate_mrps: int) -> bool:
        """Whether at least half of the replays at a rate meet the percentile's limit."""
        subject = self.subject_of(table)
        kept = self.experiment.map_replays(
            lambda number: self._keeps(subject, number, rate_mrps), self._numbers
        )
        return 2 * sum(kept) >= len(kept)

    def kept_us(self, table: Form) -> int | None:
        """The largest percentile of a table's replays at the lowest rate [us].

        None if a replay is overloaded.
        """
        rate_mrps, subject = self.aim.rates_mrps[0], self.subject_of(table)
        found = self.experiment.map_replays(
            lambda number: self._tail_us(subject, number, rate_mrps), self._numbers
        )
        tails_us = [tail_us for tail_us in found if tail_us is not None]
        return max(tails_us) if len(tails_us) == len(found) else None

    @property
    def _numbers(self) -> range:
        return range(self.experiment.repeats)

    @cached_property
    def _ascending(self) -> list[int]:
        """The rates that are tried first."""
        lowest_mrps, highest_mrps = self.aim.rates_mrps
        between = np.geomspace(lowest_mrps, highest_mrps, _RATES)
        return sorted({lowest_mrps, *np.rint(between).astype(int)[1:-1], highest_mrps})

    def _highest_rate(self, cell: tuple[Subject, int]) -> tuple[int, int]:
        """The highest rate in one replay, and the number of simulations for it."""
        subject, number = cell
        below = replays = 0
        above = self._ascending[0]
        for above in self._ascending:
            replays += 1
            if not self._keeps(subject, number, above):
                break
            below = above
        while below and above - below > max(below // _PARTS, 1):
            middle = (below + above) // 2
            replays += 1
            below, above = (
                (middle, above) if self._keeps(subject, number, middle) else (below, middle)
            )
        return below, replays

    def _keeps(self, subject: Subject, number: int, rate_mrps: int) -> bool:
        tail_us = self._tail_us(subject, number, rate_mrps)
        return tail_us is not None and tail_us <= self.limit_us

    def _tail_us(self, subject: Subject, number: int, rate_mrps: int) -> int | None:
        """None if the replay is overloaded."""
        arrivals = self.aim.arrivals_at(int(rate_mrps))
        outcome = self.experiment.outcome_at(subject, arrivals, number)
        if outcome.was_cut_off:
            return None
        return nearest_us(outcome.tail_ns(self.aim.percentile_ppm))


def rate_sample(
    load: Workload,
    aim: TuningObjective,
    limit_us: int,
    problem: TuningProblem[Form],
    *,
    requests: int,
    repeats: int,
    seed: int,
    workers: Executor,
) -> RateSample[Form]:
    """Build replays of some requests, by which the highest rates of tables are found.

    requests, repeats: number of requests in a replay, and number of replays. seed: gives order and
    times.
    """
    most = most_in_system(problem.cores)
    scenario = Scenario(load, aim.arrivals[-1], requests, most, seed)
    experiment = Experiment(scenario, repeats, 0, workers).with_replications()
    return RateSample(experiment, aim, limit_us, problem.subject_of)
