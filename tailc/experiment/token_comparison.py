"""A budget table and baselines on the same requests to a language model, at each rate."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace

from tailc.artifact.envelope import Policy
from tailc.experiment.block_means import MeanError, to_ppm
from tailc.experiment.ruling import Ruling
from tailc.experiment.token_replays import (
    TailEstimate,
    TokenExperiment,
    TokenTail,
    experiments,
    goodput,
    tail_sample,
    token_rules,
)
from tailc.forms.budget_table import BudgetTable
from tailc.models.token_batches.arrays import TokenScheduler
from tailc.models.token_batches.bound import least_ttft_ns
from tailc.models.token_batches.outcome import TokenOutcome
from tailc.models.token_batches.rule import STATIC_BUDGETS
from tailc.specs.slo import Metric, Slo
from tailc.traces.tokens import TokenTrace

POLICY = "policy"
_NS_PER_US = 1_000


@dataclass(frozen=True)
class TokenRun:
    """Results of one scheduler of a language model's server at one arrival rate.

    Attributes:
        note: what was chosen for the scheduler, or empty.
        tails, rulings: for each SLO, its percentile, and pass, fail or undecided.
        goodput_ppm: share of requests that meet all SLOs [1e-6].
        busy_ppm: share of time in iterations [1e-6].
        tokens_milli: mean tokens of an iteration, in thousandths.
        preemptions: number of sequences that lost their cache.
        changes: relative change of the policy's percentiles from those of this scheduler; empty for
            the policy.
    """

    name: str
    note: str
    tails: tuple[TailEstimate, ...]
    rulings: tuple[Ruling, ...]
    goodput_ppm: int
    busy_ppm: int
    tokens_milli: int
    preemptions: int
    changes: tuple[MeanError, ...] = ()


@dataclass(frozen=True)
class TokenPoint:
    """Results of a token-budget policy and its baselines at one arrival rate.

    rate_mrps: the rate [1/1000 s]. cells_ppm: share of the time of iterations in each cell of the
    policy's table [1e-6]. bounds_us: for each SLO the percentile below which no schedule is; None
    if no bound is known; empty if none was computed.
    """

    rate_mrps: int
    policy: TokenRun
    baselines: tuple[TokenRun, ...]
    cells_ppm: tuple[tuple[int, ...], ...]
    bounds_us: tuple[int | None, ...] = ()


@dataclass(frozen=True)
class TokenComparison:
    """Settings for comparing a language model's token-budget table with baselines.

    table, slos: the policy and its SLOs. largest_budget: the most tokens that the engine accepts in
    an iteration. baselines: names. seed, replicates: seed and number of bootstrap samples.
    """

    table: BudgetTable
    slos: tuple[Slo, ...]
    largest_budget: int
    baselines: tuple[str, ...]
    seed: int
    replicates: int

    def points(
        self,
        trace: TokenTrace,
        rates_mrps: Sequence[int],
        workers: Executor,
        tick: Callable[[int, int], None] | None = None,
    ) -> tuple[TokenPoint, ...]:
        """Compare the policy with the baselines at each rate, or at the recorded rate."""
        found = []
        jobs = experiments(trace, rates_mrps)
        for done, point in enumerate(workers.map(self.point, jobs), start=1):
            found.append(point)
            if tick is not None:
                tick(done, len(jobs))
        return tuple(found)

    def point(self, experiment: TokenExperiment) -> TokenPoint:
        """Results of the policy and of every baseline at one arrival rate, from replays.

        experiment: the requests and the rate.
        """
        scheduler = TokenScheduler(POLICY, "", self.table)
        outcome = experiment.outcome(scheduler)
        policy, samples = self._run(scheduler, outcome, ())
        baselines = []
        for name in self.baselines:
            best = self.baseline(name, experiment)
            baselines.append(self._run(best, experiment.outcome(best), samples)[0])
        return TokenPoint(
            experiment.rate_mrps,
            policy,
            tuple(baselines),
            tuple(tuple(map(to_ppm, row)) for row in outcome.cell_shares.tolist()),
        )

    def baseline(self, name: str, experiment: TokenExperiment) -> TokenScheduler:
        """The baseline of this name: the best of its candidates at the rate of the experiment."""
        rule = token_rules().make_rule(name)
        candidates = rule.candidates(self.table.engine, self.largest_budget, self.slos)
        return experiment.best(candidates, self.slos)

    def bounded(self, point: TokenPoint, experiment: TokenExperiment) -> TokenPoint:
        """The same results with lower bounds for all schedules of the engine."""
        bounds_us = (self._bound_us(experiment, slo) for slo in self.slos)
        return replace(point, bounds_us=tuple(bounds_us))

    def _bound_us(self, experiment: TokenExperiment, slo: Slo) -> int | None:
        if slo.metric is not Metric.TTFT:
            return None
        requests, chosen = experiment.requests, experiment.is_of(slo)
        bound_ns = least_ttft_ns(
            self.table.engine.step,
            requests.arrival_ns[chosen],
            (requests.prompt - requests.cached)[chosen],
            max(self.largest_budget, *(max(row.budgets) for row in self.table.rows)),
            slo.percentile_ppm,
        )
        return bound_ns // _NS_PER_US

    def run(self, scheduler: TokenScheduler, experiment: TokenExperiment) -> TokenRun:
        """Replay one scheduler of a language model's server, and return its results.

        It is not compared with others.
        """
        return self._run(scheduler, experiment.outcome(scheduler), ())[0]

    def _run(
        self, scheduler: TokenScheduler, outcome: TokenOutcome, policy: Sequence[TokenTail]
    ) -> tuple[TokenRun, tuple[TokenTail, ...]]:
        samples = tuple(tail_sample(outcome, slo, self.seed, self.replicates) for slo in self.slos)
        tails = tuple(sample.estimate for sample in samples)
        run = TokenRun(
            scheduler.name,
            scheduler.about,
            tails,
            tuple(ruling_of(tail, slo) for tail, slo in zip(tails, self.slos, strict=True)),
            to_ppm(goodput(outcome, self.slos)),
            to_ppm(outcome.busy),
            round(1000 * outcome.tokens_by_iteration),
            outcome.preemptions,
            tuple(own.change_from(its) for own, its in zip(policy, samples, strict=bool(policy))),
        )
        return run, samples


def comparison_of(
    policy: Policy, baselines: Sequence[str], seed: int, replicates: int
) -> TokenComparison:
    """Make the comparison of a token-budget policy with baselines on the same engine."""
    table = policy.budget_table
    assert table is not None
    largest = dict(policy.evidence.settings).get("largest_budget", STATIC_BUDGETS[-1])
    return TokenComparison(table, policy.slos, largest, tuple(baselines), seed, replicates)


def ruling_of(tail: TailEstimate, slo: Slo) -> Ruling:
    """Rule on an SLO: pass or fail if the whole interval of its percentile is on one side."""
    if tail.low_us > slo.latency_us:
        return Ruling.FAIL
    met = tail.high_us is not None and tail.high_us <= slo.latency_us
    return Ruling.PASS if met else Ruling.UNDECIDED


def worst_ruling(rulings: Iterable[Ruling]) -> Ruling:
    """The worst of several rulings: fail, else undecided, else pass."""
    found = set(rulings)
    worst = (one for one in (Ruling.FAIL, Ruling.UNDECIDED) if one in found)
    return next(worst, Ruling.PASS)
