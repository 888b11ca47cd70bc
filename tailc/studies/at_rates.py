"""What a policy does at the rates that it is for, replayed on what it was compiled from."""

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
class AtRate:
    """Of the first SLO the tail at a rate, None where the server is overloaded, and its use."""

    rate_mrps: int
    percentile_ppm: int
    tail_us: int | None
    load: Load
    usage: Usage


def at_rates(policy: Policy, design: object, threads: int) -> tuple[AtRate, ...]:
    """At each of its rates; nothing of a policy that no requests come to."""
    if not policy.rates_mrps or not isinstance(design, DemandProfile):
        return ()
    subject = subject_of(policy, design)
    workload, tail = subject.workload(design), tail_of(policy.slos[0], design)
    found = []
    with ThreadPoolExecutor(threads) as workers:
        for rate_mrps in policy.rates_mrps:
            arrivals = Poisson(rate_mrps)
            repeats = design_repeats(subject, workload, arrivals, (tail,), workers)
            busy = load(arrivals, repeats.results)
            tail_us = None if busy.is_overloaded else repeats.tails_us[0]
            usage = usage_of(subject, repeats.results)
            found.append(AtRate(rate_mrps, tail.percentile_ppm, tail_us, busy, usage))
    return tuple(found)
