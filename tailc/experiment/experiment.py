"""The one place where engines run: any subjects, all on the same requests at the same times.

A replay never looks at another's random numbers, and each result has its own place, so nothing
depends on the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import cached_property, partial
from statistics import fmean
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tailc.experiment.options import VerifyOptions
from tailc.experiment.rate_grid import rate_grid
from tailc.experiment.replications import (
    Replication,
    Replications,
    rearrived,
    replications_of,
)
from tailc.experiment.scenario import Scenario, scenario_for
from tailc.experiment.server_use import ServerUse, server_use
from tailc.experiment.sizes import BASELINE_AT_RATE, BASELINE_SEARCH_REPEATS
from tailc.experiment.tail_sample import (
    KeptT,
    Repeats,
    Tail,
    TailSample,
    held_out_of,
    latencies_of,
    pooled_ns,
    repeats_of,
    shares_within,
    too_rare,
)
from tailc.models.arrivals import Arrivals, Poisson
from tailc.models.execution_model import Engine, ExecutionModel, OutcomeT, Search, Subject, Tried
from tailc.models.outcome import Outcome
from tailc.models.workload import Workload

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def no_tick() -> None:
    """Progress that nobody follows."""


@dataclass(frozen=True, eq=False)
class Experiment:
    """Replays on one scenario: `repeats` of its requests, `replicates` of bootstrap samples.

    workers: replays run among them. tick: called after each replay, from the calling thread.
    drawn: replications to replay in place of new ones, such as those of another workload.
    """

    scenario: Scenario
    repeats: int
    replicates: int
    workers: Executor
    tick: Callable[[], None] = no_tick
    drawn: Replications | None = None

    @cached_property
    def replications(self) -> Replications:
        """When requests arrive, and which: the same for every subject."""
        if self.drawn is not None:
            return self.drawn
        return replications_of(self.scenario, self.repeats, self.replicates, self.workers)

    def on(self, workload: Workload) -> Experiment:
        """The same replications with requests of other work or speeds, record by record."""
        scenario = replace(self.scenario, workload=workload)
        return replace(self, scenario=scenario, drawn=self.replications)

    def with_gaps(self, factor: float) -> Experiment:
        """The same requests with all times of arrival stretched by a factor."""
        stretched = tuple(
            replace(one, arrival_ns=np.rint(one.arrival_ns * factor).astype(np.int64))
            for one in self.replications.repeats
        )
        return replace(self, drawn=replace(self.replications, repeats=stretched))

    def with_draws(self) -> Experiment:
        """The same with its replications drawn, so that callers among the workers can replay."""
        return replace(self, drawn=self.replications)

    def engine(self, subject: ExecutionModel[OutcomeT, Any]) -> Engine[OutcomeT]:
        """What replays a subject under the arrivals of the scenario."""
        scenario = self.scenario
        return subject.engine(
            scenario.arrivals.rate_mrps, scenario.most_in_system, scenario.cut_off_us
        )

    def outcome(self, subject: Subject, engine: Engine[OutcomeT], one: Replication) -> OutcomeT:
        """What happens to the requests of a replication."""
        first = 0 if subject.measures_warm_up else self.scenario.warm_up(len(one.order))
        return engine.replay(self.scenario.workload, one.order, one.arrival_ns, first)

    def outcomes(
        self, subject: ExecutionModel[OutcomeT, Any]
    ) -> Iterator[tuple[Replication, OutcomeT]]:
        """Each repeat, one after another, for callers that are among the workers themselves."""
        engine = self.engine(subject)
        for one in self.replications.repeats:
            yield one, self.outcome(subject, engine, one)

    def outcome_at(
        self, subject: ExecutionModel[OutcomeT, Any], arrivals: Arrivals, number: int
    ) -> OutcomeT:
        """Repeat `number` under other arrivals, whose random numbers are the same at any rate."""
        there = replace(self, scenario=replace(self.scenario, arrivals=arrivals))
        one = rearrived(self.replications.repeats[number], there.scenario, number)
        return there.outcome(subject, there.engine(subject), one)

    def each(
        self,
        subject: ExecutionModel[OutcomeT, Any],
        keep: Callable[[Replication, OutcomeT], KeptT],
    ) -> list[KeptT]:
        """What is kept of each repeat. `keep` runs among the workers.

        Times of a million requests, for every repeat, would fill the memory.
        """
        engine = self.engine(subject)
        return self.mapped(
            lambda one: keep(one, self.outcome(subject, engine, one)), self.replications.repeats
        )

    def repeated(
        self,
        subject: ExecutionModel[OutcomeT, Any],
        tails: Sequence[Tail],
        keep: Callable[[Replication, OutcomeT], KeptT],
    ) -> Repeats[KeptT]:
        """The repeats, what is kept of each, and their tails."""

        def both(one: Replication, outcome: OutcomeT) -> tuple[KeptT, list[NDArray[np.int64]]]:
            return keep(one, outcome), latencies_of(self.scenario, one, outcome, tails)

        kept, latencies = zip(*self.each(subject, both), strict=True)
        return repeats_of(tails, kept, latencies)

    def used(self, subject: Subject, tails: Sequence[Tail]) -> Repeats[ServerUse]:
        """The repeats, how each used the server, and their tails."""

        def keep(one: Replication, outcome: Outcome) -> ServerUse:
            return server_use(subject, outcome, self.scenario.workload.work_ns[one.order])

        return self.repeated(subject, tails, keep)

    def sample(
        self, subject: Subject, tails: Sequence[Tail], repeats: Repeats[KeptT]
    ) -> tuple[TailSample, ...]:
        """The replicates too, for an interval of each tail."""
        engine = self.engine(subject)
        is_recorded = self.scenario.arrivals.is_recorded

        def replicate(number: int) -> _Replicate:
            one = self.replications.replicate(number)
            outcome = self.outcome(subject, engine, one)
            latencies = latencies_of(self.scenario, one, outcome, tails)
            return _Replicate(
                shares_within(latencies, repeats.limits_ns),
                self.scenario.mean_work_ns(one.order),
                latencies if is_recorded else None,
            )

        found = self.mapped(replicate, range(self.replications.replicates))
        shift, work_shift = self._shifts(found, repeats.by_repeat)
        kept = [one.latencies for one in found if one.latencies is not None]
        law_ns = pooled_ns(tails, kept) if kept else repeats.law_ns
        parts = zip(tails, repeats.limits_ns, law_ns, repeats.by_repeat, shift, strict=True)
        return tuple(
            TailSample(
                tail.percentile_ppm,
                limit_ns,
                sorted_ns,
                shares[~np.isnan(shares)],
                moved[_known(moved)],
                work_shift[_known(moved)],
                self.scenario.spread,
                held_out_of(self.scenario, tail),
            )
            for tail, limit_ns, sorted_ns, shares, moved in parts
        )

    def tried(self, subject: Subject, tail: Tail) -> Tried:
        """The percentile and the cost of a request, over the repeats, without an interval."""
        found = self.repeated(
            subject, (tail,), lambda _one, outcome: subject.cost_of_request(outcome)
        )
        costs = [cost for cost in found.kept if cost is not None]
        return Tried(found.tails_us[0], fmean(costs) if costs else None)

    def search(self, tail: Tail, target_us: int) -> Search:
        """How a baseline with something to choose is chosen here, on a few repeats."""
        few = replace(self, repeats=BASELINE_SEARCH_REPEATS, replicates=0, tick=no_tick, drawn=None)

        def tried_at() -> tuple[tuple[int, Callable[[Subject], Tried]], ...]:
            return tuple(
                (rate, partial(few.at_rate(rate).tried, tail=tail)) for rate in few.rates_mrps
            )

        tried = partial(few.tried, tail=tail)
        return Search(tried, tail.percentile_ppm, target_us, tried_at)

    @property
    def rates_mrps(self) -> tuple[int, ...]:
        """Rates between which the load changes; none where it does not, which is Poisson's law."""
        if isinstance(self.scenario.arrivals, Poisson):
            return ()
        return rate_grid([one.arrival_ns for one in self.replications.repeats])

    def at_rate(self, rate_mrps: int) -> Experiment:
        """The same workload at a constant rate."""
        size = BASELINE_AT_RATE
        requests = min(self.scenario.requests, size.requests)
        constant = replace(self.scenario, arrivals=Poisson(rate_mrps), requests=requests)
        return replace(self, scenario=constant, repeats=size.repeats, drawn=None)

    def _shifts(
        self, found: Sequence[_Replicate], by_repeat: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """By tail and replicate, how much larger its share is; by replicate, its mean work."""
        shares = np.array([one.shares for one in found]).reshape(len(found), len(by_repeat)).T
        work = np.array([one.mean_work_ns for one in found])
        if self.scenario.arrivals.is_recorded:
            # Neither shares its arrivals with a repeat.
            count = np.maximum((~np.isnan(shares)).sum(axis=1, keepdims=True), 1)
            mean = np.nansum(shares, axis=1, keepdims=True) / count
            return shares - mean, work - work.sum() / max(len(found), 1)
        paired = [self.replications.repeat_of(number) for number in range(len(found))]
        orders = [one.order for one in self.replications.repeats]
        repeats = np.array([self.scenario.mean_work_ns(order) for order in orders])
        return shares - by_repeat[:, paired], work - repeats[paired]

    def mapped(self, replay: Callable[[_Item], _Result], items: Iterable[_Item]) -> list[_Result]:
        """Replays of each item, among the workers, each ticked as it ends."""
        found = []
        for result in self.workers.map(replay, items):
            self.tick()
            found.append(result)
        return found


@dataclass(frozen=True, eq=False)
class _Replicate:
    """Of one replicate: shares in time of each tail, mean work, latencies where they are kept."""

    shares: list[float]
    mean_work_ns: float
    latencies: list[NDArray[np.int64]] | None


def _known(shift: NDArray[np.float64]) -> NDArray[np.bool_]:
    """The replicates that have a request of the tail's class: without, there is no share.

    Raises TailcError where fewer than half have one, for those tell of no usual sample.
    """
    known = ~np.isnan(shift)
    if 2 * int(known.sum()) < len(shift):
        raise too_rare()
    return known


def experiment_for(
    options: VerifyOptions,
    workload: Workload,
    arrivals: Arrivals,
    workers: Executor,
    *subjects: Subject,
    tick: Callable[[], None] = no_tick,
) -> Experiment:
    """As thoroughly as the options ask, on the machines of the subjects."""
    scenario = scenario_for(workload, arrivals, options, *subjects)
    return Experiment(scenario, options.repeats, options.replicates, workers, tick)
