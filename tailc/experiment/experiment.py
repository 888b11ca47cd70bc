"""Run replays: any policies, all on the same requests at the same times.

Replays do not share random numbers, and each result has its own place, so results do not depend on
the number of threads.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import cached_property, partial
from statistics import fmean
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tailc.experiment.options import VerifyOptions
from tailc.experiment.replications import (
    Replication,
    Replications,
    replications_of,
    with_arrivals,
)
from tailc.experiment.scenario import Scenario, scenario_for
from tailc.experiment.server_use import ServerUse, server_use
from tailc.experiment.sizes import BASELINE_AT_RATE, BASELINE_SEARCH_REPEATS, MOST_RATES
from tailc.experiment.tail_sample import (
    Repeats,
    ResultT,
    Tail,
    TailSample,
    held_out_of,
    latencies_of,
    pooled_ns,
    repeats_of,
    shares_within,
    too_rare_error,
)
from tailc.models.arrivals import Arrivals, Poisson
from tailc.models.execution_model import (
    BaselineSearch,
    CandidateResult,
    Engine,
    ExecutionModel,
    OutcomeT,
    Subject,
)
from tailc.models.outcome import NS_PER_US, Outcome
from tailc.models.steering import LOOKUP_PERIOD_US, LOOKUP_REQUESTS
from tailc.models.streams import NS_PER_S_IN_MRPS
from tailc.models.workload import Workload

# Ratio of successive rates, unless there are too many.
_RATIO = 1.25

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def no_tick() -> None:
    """Do nothing; used where a caller does not want reports of progress."""


@dataclass(frozen=True, eq=False)
class Experiment:
    """Replays of a workload under any policies: on its requests, and on bootstrap samples of them.

    repeats: number of replays of the requests themselves, each with other arrivals. replicates:
    number of replays of a bootstrap sample of the requests. workers: executor of the replays. tick:
    called after each replay, from the calling thread. given_replications: replications to replay
    instead of new ones, for example those of another workload.
    """

    scenario: Scenario
    repeats: int
    replicates: int
    workers: Executor
    tick: Callable[[], None] = no_tick
    given_replications: Replications | None = None

    @cached_property
    def replications(self) -> Replications:
        """Arrival times and requests of all replays, the same for every policy or baseline."""
        if self.given_replications is not None:
            return self.given_replications
        return replications_of(self.scenario, self.repeats, self.replicates, self.workers)

    def with_workload(self, workload: Workload) -> Experiment:
        """An experiment with the same arrivals and requests, but another workload."""
        scenario = replace(self.scenario, workload=workload)
        return replace(self, scenario=scenario, given_replications=self.replications)

    def with_gaps(self, factor: float) -> Experiment:
        """The same experiment with all arrival times multiplied by `factor`.

        The arrival rate is divided by `factor`.
        """
        stretched = tuple(
            replace(one, arrival_ns=np.rint(one.arrival_ns * factor).astype(np.int64))
            for one in self.replications.repeats
        )
        return replace(self, given_replications=replace(self.replications, repeats=stretched))

    def with_replications(self) -> Experiment:
        """The same experiment, with its random arrivals and requests drawn in advance.

        So worker threads can use it without waiting for each other.
        """
        return replace(self, given_replications=self.replications)

    def engine(self, subject: ExecutionModel[OutcomeT, Any]) -> Engine[OutcomeT]:
        """Make the replay engine of a policy or baseline for the scenario's arrivals."""
        scenario = self.scenario
        return subject.engine(
            scenario.arrivals.rate_mrps, scenario.most_in_system, scenario.cut_off_us
        )

    def outcome(self, subject: Subject, engine: Engine[OutcomeT], one: Replication) -> OutcomeT:
        """Replay one set of random arrivals and requests under one policy.

        engine: that of the policy, from `engine`.
        """
        first = 0 if subject.measures_warm_up else self.scenario.warm_up(len(one.order))
        return engine.replay(self.scenario.workload, one.order, one.arrival_ns, first)

    def outcomes(
        self, subject: ExecutionModel[OutcomeT, Any]
    ) -> Iterator[tuple[Replication, OutcomeT]]:
        """Replay each repeat of the experiment in turn; yield it with its outcome.

        The replays run in the calling thread, which may be a worker.
        """
        engine = self.engine(subject)
        for one in self.replications.repeats:
            yield one, self.outcome(subject, engine, one)

    def outcome_at(
        self, subject: ExecutionModel[OutcomeT, Any], arrivals: Arrivals, number: int
    ) -> OutcomeT:
        """Replay one repeat (one set of random numbers) under other arrivals.

        number: number of the repeat. The random numbers are the same at any rate, so another rate
        only scales the gaps between arrivals.
        """
        there = replace(self, scenario=replace(self.scenario, arrivals=arrivals))
        one = with_arrivals(self.replications.repeats[number], there.scenario, number)
        return there.outcome(subject, there.engine(subject), one)

    def each(
        self,
        subject: ExecutionModel[OutcomeT, Any],
        extract: Callable[[Replication, OutcomeT], ResultT],
    ) -> list[ResultT]:
        """Replay all repeats in worker threads; return the result of `extract` for each.

        `extract` reduces an outcome at once: the arrays of all repeats, each of a million requests,
        would not fit into memory.
        """
        engine = self.engine(subject)
        return self.map_replays(
            lambda one: extract(one, self.outcome(subject, engine, one)), self.replications.repeats
        )

    def replay_repeats(
        self,
        subject: ExecutionModel[OutcomeT, Any],
        tails: Sequence[Tail],
        extract: Callable[[Replication, OutcomeT], ResultT],
    ) -> Repeats[ResultT]:
        """Replay each repeat of the experiment under one policy.

        Returns the latencies for each percentile, and the result of `extract` for each replay.
        """

        def both(one: Replication, outcome: OutcomeT) -> tuple[ResultT, list[NDArray[np.int64]]]:
            return extract(one, outcome), latencies_of(self.scenario, one, outcome, tails)

        results, latencies = zip(*self.each(subject, both), strict=True)
        return repeats_of(tails, results, latencies)

    def replay_with_use(self, subject: Subject, tails: Sequence[Tail]) -> Repeats[ServerUse]:
        """Replay each repeat; return latencies for each percentile, and the use of the server."""

        def extract(one: Replication, outcome: Outcome) -> ServerUse:
            return server_use(subject, outcome, self.scenario.workload.work_ns[one.order])

        return self.replay_repeats(subject, tails, extract)

    def sample(
        self, subject: Subject, tails: Sequence[Tail], repeats: Repeats[ResultT]
    ) -> tuple[TailSample, ...]:
        """Replay the bootstrap replicates, from which the interval of each percentile is computed.

        subject: policy or baseline. tails: the percentiles. repeats: results of the replays of the
        held-out requests themselves.
        """
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

        found = self.map_replays(replicate, range(self.replications.replicates))
        shift, work_shift = self._shifts(found, repeats.by_repeat)
        stored = [one.latencies for one in found if one.latencies is not None]
        law_ns = pooled_ns(tails, stored) if stored else repeats.law_ns
        parts = zip(tails, repeats.limits_ns, law_ns, repeats.by_repeat, shift, strict=True)
        return tuple(
            TailSample(
                tail.percentile_ppm,
                limit_ns,
                sorted_ns,
                shares[~np.isnan(shares)],
                moved[_with_share(moved)],
                work_shift[_with_share(moved)],
                self.scenario.spread,
                held_out_of(self.scenario, tail),
            )
            for tail, limit_ns, sorted_ns, shares, moved in parts
        )

    def evaluate(self, subject: Subject, tail: Tail) -> CandidateResult:
        """Replay the repeats under one policy; return a percentile and the cost of a request.

        Without intervals, and so without bootstrap replicates.
        """
        found = self.replay_repeats(
            subject, (tail,), lambda _one, outcome: subject.cost_of_request(outcome)
        )
        costs = [cost for cost in found.results if cost is not None]
        return CandidateResult(found.tails_us[0], fmean(costs) if costs else None)

    def search(self, tail: Tail, target_us: int) -> BaselineSearch:
        """Make the search by which a baseline chooses its setting, from a few replays."""
        few = replace(
            self,
            repeats=BASELINE_SEARCH_REPEATS,
            replicates=0,
            tick=no_tick,
            given_replications=None,
        )

        def evaluate_at_rates() -> tuple[tuple[int, Callable[[Subject], CandidateResult]], ...]:
            return tuple(
                (rate, partial(few.at_rate(rate).evaluate, tail=tail)) for rate in few.rates_mrps
            )

        evaluate = partial(few.evaluate, tail=tail)
        return BaselineSearch(evaluate, tail.percentile_ppm, target_us, evaluate_at_rates)

    @property
    def rates_mrps(self) -> tuple[int, ...]:
        """Arrival rates on a grid that covers a changing arrival rate [1/1000 s].

        Empty if the rate is constant (Poisson arrivals).
        """
        if isinstance(self.scenario.arrivals, Poisson):
            return ()
        return rate_grid([one.arrival_ns for one in self.replications.repeats])

    def at_rate(self, rate_mrps: int) -> Experiment:
        """An experiment with the same workload and Poisson arrivals at a constant rate."""
        size = BASELINE_AT_RATE
        requests = min(self.scenario.requests, size.requests)
        constant = replace(self.scenario, arrivals=Poisson(rate_mrps), requests=requests)
        return replace(self, scenario=constant, repeats=size.repeats, given_replications=None)

    def _shifts(
        self, found: Sequence[_Replicate], by_repeat: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Increase of each tail's share in each replicate, and mean work of each replicate."""
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

    def map_replays(
        self, replay: Callable[[_Item], _Result], items: Iterable[_Item]
    ) -> list[_Result]:
        """Apply `replay` to each item in worker threads; report progress after each one."""
        found = []
        for result in self.workers.map(replay, items):
            self.tick()
            found.append(result)
        return found


@dataclass(frozen=True, eq=False)
class _Replicate:
    """One replicate: shares in time of each tail, mean work, and latencies if they are needed."""

    shares: list[float]
    mean_work_ns: float
    latencies: list[NDArray[np.int64]] | None


def _with_share(shift: NDArray[np.float64]) -> NDArray[np.bool_]:
    """The replicates that have a request of the tail's class; others have no share.

    Raises TailcError if fewer than half of them do, because that is not a typical sample.
    """
    known = ~np.isnan(shift)
    if 2 * int(known.sum()) < len(shift):
        raise too_rare_error()
    return known


def experiment_for(
    options: VerifyOptions,
    workload: Workload,
    arrivals: Arrivals,
    workers: Executor,
    *subjects: Subject,
    tick: Callable[[], None] = no_tick,
) -> Experiment:
    """Make an experiment with the sizes of the options, for policies and baselines on a server."""
    scenario = scenario_for(workload, arrivals, options, *subjects)
    return Experiment(scenario, options.repeats, options.replicates, workers, tick)


def rate_grid(arrivals_ns: Sequence[NDArray[np.int64]]) -> tuple[int, ...]:
    """Arrival rates with equal ratios, over the range of rates that a server measures [1/1000 s].

    arrivals_ns: arrival times of each replay. Ascending. Arrivals that are too few to measure a
    changing rate have one rate, that of all of them.
    """
    rates = [rate for times_ns in arrivals_ns for rate in _measure_mrps(times_ns)]
    low, high = min(rates), max(rates)
    count = min(math.ceil(math.log(high / low, _RATIO)) + 1, MOST_RATES)
    return tuple(sorted({_round_up(rate) for rate in np.geomspace(low, high, count).tolist()}))


def _round_up(rate_mrps: float) -> int:
    """Round up to three digits."""
    digit = 10 ** max(math.floor(math.log10(rate_mrps)) - 2, 0)
    return math.ceil(rate_mrps / digit) * digit


def _measure_mrps(times_ns: NDArray[np.int64]) -> Iterator[float]:
    """Rates over each period that is long enough and has enough arrivals."""
    first, last = 0, len(times_ns) - 1
    while first < last:
        late = int(np.searchsorted(times_ns, times_ns[first] + LOOKUP_PERIOD_US * NS_PER_US))
        end = max(late, first + LOOKUP_REQUESTS)
        if end > last and first > 0:
            return
        end = min(end, last)
        span_ns = max(int(times_ns[end] - times_ns[first]), 1)
        yield (end - first) * NS_PER_S_IN_MRPS / span_ns
        first = end
