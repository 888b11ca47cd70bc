"""Find the highest rate at which a token-budget table meets all its SLOs, on recorded arrivals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache

import numpy as np

from tailc.artifact.envelope import Policy
from tailc.experiment.options import VerifyOptions
from tailc.experiment.token_comparison import TokenComparison, TokenRun, comparison_of
from tailc.experiment.token_replays import TokenExperiment, check_requests, token_rules
from tailc.forms.step_times import least_prompt_ns
from tailc.models.token_batches.arrays import TokenScheduler
from tailc.specs.slo import Slo
from tailc.threads import thread_count
from tailc.traces.tokens import TokenTrace
from tailc.verify.size import STEPS, Capacity
from tailc.verify.tokens.judge import check_trace

_NS_PER_S = 10**9
_MILLI = 1_000


@dataclass(frozen=True)
class TokenSizing:
    """Highest rates of token-budget policies and baselines that meet the first policy's SLOs."""

    slos: tuple[Slo, ...]
    held_out_digest: str
    held_out_requests: int
    seed: int
    replicates: int
    capacities: tuple[Capacity, ...]


def size_tokens(
    policies: Sequence[Policy], held_out: TokenTrace, options: VerifyOptions
) -> TokenSizing:
    """Find the highest rate at which each policy, and each baseline, meets all SLOs.

    Baselines run on the engine of the first policy. The recorded arrivals are stretched to each
    rate. Rates are on a grid up to the rate at which prompts alone fill the engine; a rate counts
    if no lower rate that was tried misses an SLO.
    """
    first = policies[0]
    for policy in policies:
        assert policy.budget_table is not None
        check_trace(policy, held_out, options)
        check_requests(held_out, policy.budget_table.engine, first.slos)
    names = token_rules().choose(options.baselines)
    slos = first.slos
    comparison = comparison_of(first, names, options.seed, options.replicates)
    step_mrps = max(_filling_mrps(comparison, held_out) // STEPS, 1)

    def capacity(subject: _Subject) -> Capacity:
        def run(step: int) -> TokenRun:
            experiment = TokenExperiment(held_out, step * step_mrps)
            return comparison.run(subject.scheduler_at(experiment), experiment)

        return _capacity(subject, cache(run), slos, step_mrps)

    subjects = [_of_policy(policy) for policy in policies]
    subjects += [_of_baseline(comparison, name) for name in names]
    found = []
    with ThreadPoolExecutor(thread_count(options.threads)) as workers:
        for done, one in enumerate(workers.map(capacity, subjects), start=1):
            found.append(one)
            if options.progress is not None:
                options.progress(done, len(subjects))
    return TokenSizing(
        slos,
        held_out.digest,
        held_out.requests,
        options.seed,
        options.replicates,
        tuple(found),
    )


@dataclass(frozen=True)
class _Subject:
    """A policy or a baseline; the scheduler of some baselines depends on the rate."""

    name: str
    scheduler_at: Callable[[TokenExperiment], TokenScheduler]
    compiled_mrps: int | None = None


def _of_policy(policy: Policy) -> _Subject:
    assert policy.budget_table is not None
    scheduler = TokenScheduler(policy.name, "", policy.budget_table)
    return _Subject(policy.name, lambda _: scheduler, max(policy.rates_mrps, default=None))


def _of_baseline(comparison: TokenComparison, name: str) -> _Subject:
    return _Subject(name, lambda experiment: comparison.baseline(name, experiment))


def _capacity(
    subject: _Subject, run: Callable[[int], TokenRun], slos: Sequence[Slo], step_mrps: int
) -> Capacity:
    """The last steps that meet all SLOs: by the estimates, by whole intervals, and by a part."""

    def meets_limits(limit_of: Callable[[TokenRun, int], int | None]) -> Callable[[int], bool]:
        def holds(step: int) -> bool:
            limits = [limit_of(run(step), at) for at in range(len(slos))]
            return all(
                limit is not None and limit <= slo.latency_us
                for limit, slo in zip(limits, slos, strict=True)
            )

        return holds

    best = _last(meets_limits(lambda one, at: one.tails[at].us), 1, STEPS)
    low = _last(meets_limits(lambda one, at: one.tails[at].high_us), 1, best)
    high = _last(meets_limits(lambda one, at: one.tails[at].low_us), max(best, 1), STEPS)
    rate, least, most = (
        step * step_mrps if step else None for step in (best, low, max(high, best))
    )
    note = run(max(best, 1)).note
    return Capacity(subject.name, note, rate, least, most, step_mrps, subject.compiled_mrps)


def _last(holds: Callable[[int], bool], least: int, most: int) -> int:
    """The last step of a range up to which a condition holds, by bisection; 0 if it never does."""
    if most < least or not holds(least):
        return 0
    low, high = least, most + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def _filling_mrps(comparison: TokenComparison, held_out: TokenTrace) -> int:
    """The rate at which prompts alone fill the engine [thousandths per second]."""
    step = comparison.table.engine.step
    lengths, counts = np.unique(held_out.prompt - held_out.cached, return_counts=True)
    times_ns = [
        count * least_prompt_ns(step, int(length), comparison.largest_budget)
        for length, count in zip(lengths, counts.tolist(), strict=True)
    ]
    return held_out.requests * _NS_PER_S * _MILLI // max(sum(times_ns), 1)
