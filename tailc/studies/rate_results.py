"""Replay a policy on its design trace at each of its rates."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from tailc.artifact.envelope import Policy
from tailc.experiment.server_use import load, usage_of
from tailc.experiment.tail_sample import tail_of
from tailc.models.arrivals import Poisson
from tailc.models.server_load import Load
from tailc.models.subjects import subject_of
from tailc.models.usage import Usage
from tailc.pipeline.design_replays import design_repeats
from tailc.traces.profile import DemandProfile


@dataclass(frozen=True)
class RateResult:
    """Result at one rate: percentile of the first SLO (None in overload), and server use."""

    rate_mrps: int
    percentile_ppm: int
    tail_us: int | None
    load: Load
    usage: Usage


def rate_results(policy: Policy, design: object, threads: int) -> tuple[RateResult, ...]:
    """Replay at each of the policy's rates; empty for a policy that serves no requests."""
    if not policy.rates_mrps or not isinstance(design, DemandProfile):
        return ()
    subject = subject_of(policy, design)
    workload, tail = subject.workload(design), tail_of(policy.slos[0], design)
    results = []
    with ThreadPoolExecutor(threads) as workers:
        for rate_mrps in policy.rates_mrps:
            arrivals = Poisson(rate_mrps)
            repeats = design_repeats(subject, workload, arrivals, (tail,), workers)
            busy = load(arrivals, repeats.results)
            tail_us = None if busy.is_overloaded else repeats.tails_us[0]
            usage = usage_of(subject, repeats.results)
            results.append(RateResult(rate_mrps, tail.percentile_ppm, tail_us, busy, usage))
    return tuple(results)
