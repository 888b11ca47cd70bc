"""Replay a table with an overload rule: the tail of served requests, and the lost work."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from statistics import fmean

from tailc.experiment.experiment import Experiment
from tailc.experiment.interval import interval
from tailc.experiment.options import FEWEST_REPLICATES
from tailc.experiment.overload_objective import OverloadObjective
from tailc.experiment.scenario import Scenario, most_in_system
from tailc.experiment.server_use import ServerUse, is_overloaded
from tailc.experiment.sizes import OVERLOAD_REPEATS
from tailc.experiment.tail_sample import Repeats, Tail
from tailc.forms.ladder.table import Ladder
from tailc.models.arrivals import Poisson
from tailc.models.shared_cores.loss import Loss
from tailc.models.shared_cores.model import SharedCores
from tailc.models.workload import Workload

NO_LOSS = Loss(0, 0, 0, 0, 0, 0)


@dataclass(frozen=True)
class RateLoss:
    """Result of overload control at one rate: percentile of served requests, and lost work.

    high_us: upper limit of the 95 % interval of the percentile; None if there is none. meets:
    whether it is within the SLO, and the server is not overloaded.
    """

    rate_mrps: int
    tail_us: int
    high_us: int | None
    meets: bool
    loss: Loss


@dataclass(frozen=True, eq=False)
class RateLosses:
    """Replays at rates of overload and at normal rates, on the same requests for every table."""

    objective: OverloadObjective
    experiments: tuple[Experiment, ...]

    def meets(self, table: Ladder) -> bool:
        """Whether the tail at every rate of overload meets the objective, by point estimate."""
        few = self.experiments[: len(self.objective.rates_mrps)]
        return all(self._estimate_loss(table, one).meets for one in few)

    def lost_ppm(self, table: Ladder) -> float:
        """Mean share of the work that is lost, over all rates, including the normal ones."""
        return fmean(self._estimate_loss(table, one).loss.work_ppm for one in self.experiments)

    def losses_of(self, table: Ladder) -> tuple[RateLoss, ...]:
        """Measure a table at each rate of overload, then at each normal rate.

        The percentile has an interval at rates of overload.
        """
        count = len(self.objective.rates_mrps)
        overload = [self._limited_loss(table, one) for one in self.experiments[:count]]
        return (*overload, *(self._estimate_loss(table, one) for one in self.experiments[count:]))

    def _estimate_loss(self, table: Ladder, experiment: Experiment) -> RateLoss:
        found = self._server_use(table, experiment)
        (tail_us,) = found.tails_us
        return self._loss(table, experiment, tail_us, None, tail_us, found.results)

    def _limited_loss(self, table: Ladder, experiment: Experiment) -> RateLoss:
        repeats = self._server_use(table, experiment)
        (found,) = experiment.sample(_policy_of(table), self._tails, repeats)
        limits = interval(found)
        high_us = limits.high_us
        return self._loss(table, experiment, limits.estimate_us, high_us, high_us, repeats.results)

    @property
    def _tails(self) -> tuple[Tail, ...]:
        return (Tail(self.objective.percentile_ppm),)

    def _server_use(self, table: Ladder, experiment: Experiment) -> Repeats[ServerUse]:
        return experiment.replay_with_use(_policy_of(table), self._tails)

    def _loss(
        self,
        table: Ladder,
        experiment: Experiment,
        tail_us: int,
        high_us: int | None,
        within_us: int | None,
        uses: Sequence[ServerUse],
    ) -> RateLoss:
        arrivals = experiment.scenario.arrivals
        keeps_up = not is_overloaded(arrivals, uses)
        meets = keeps_up and within_us is not None and within_us <= self.objective.latency_us
        loss = _policy_of(table).usage([one.times for one in uses]).loss or NO_LOSS
        return RateLoss(arrivals.rate_mrps, tail_us, high_us, meets, loss)


def rate_losses(
    workload: Workload,
    objective: OverloadObjective,
    table: Ladder,
    seed: int,
    workers: Executor,
    *,
    replicates: int = 0,
) -> RateLosses:
    """Build replays of a workload on the table's server, at all rates of the objective.

    seed: gives arrival times and order of requests. replicates: number of bootstrap samples for
    intervals.
    """
    most = most_in_system(_policy_of(table).capacity_ppm)
    scenarios = (
        Scenario(workload, Poisson(rate), objective.requests, most, seed)
        for rate in (*objective.rates_mrps, *objective.normal_mrps)
    )
    return RateLosses(
        objective,
        tuple(Experiment(one, OVERLOAD_REPEATS, replicates, workers) for one in scenarios),
    )


def _policy_of(table: Ladder) -> SharedCores:
    return SharedCores("table", (table,))


JUDGED_REPLICATES = FEWEST_REPLICATES
