"""Measure the highest rate at which a fixed number of threads meets the SLOs."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from tailc.experiment.experiment import experiment_for
from tailc.experiment.options import VerifyOptions
from tailc.experiment.server_use import load
from tailc.experiment.sizes import BY_HAND
from tailc.experiment.tail_sample import tail_of
from tailc.models.arrivals import Poisson
from tailc.models.shared_cores.baselines.fixed_degree import fixed_rung
from tailc.models.shared_cores.model import SharedCores
from tailc.pipeline.compile import compile_opened
from tailc.pipeline.objectives import highest_met_mrps
from tailc.pipeline.spec import OpenedSpec
from tailc.progress import Progress
from tailc.threads import thread_count
from tailc.traces.profile import DemandProfile

_OPTIONS = VerifyOptions(requests_per_replay=BY_HAND.requests, repeats=BY_HAND.repeats)


def highest_rate_mrps(
    opened: OpenedSpec, requests: DemandProfile, progress: Progress
) -> int | None:
    """The highest Poisson rate at which some fixed number of threads meets every SLO.

    opened: a few-to-many spec without rates. requests: the sample to replay. Returns requests per
    1000 s with two digits, or None if every number of threads misses an SLO at every rate. Raises
    TailcError if the spec does not compile.
    """
    policy = compile_opened(opened, progress=progress).policy
    (table,) = policy.ladders
    subjects = [
        SharedCores(policy.name, (fixed_rung(table, rung),)) for rung in range(len(table.rungs))
    ]
    tails = [tail_of(slo, requests) for slo in policy.slos]
    workload = subjects[0].workload(requests)

    def meets(subject: SharedCores, rate_mrps: int) -> bool:
        arrivals = Poisson(rate_mrps)
        experiment = experiment_for(_OPTIONS, workload, arrivals, workers, subject)
        repeats = experiment.replay_with_use(subject, tails)
        pairs = zip(repeats.tails_us, policy.slos, strict=True)
        is_within = all(tail_us <= slo.latency_us for tail_us, slo in pairs)
        return is_within and not load(arrivals, repeats.results).is_overloaded

    def is_met(rate_mrps: int) -> bool:
        return any(meets(subject, rate_mrps) for subject in subjects)

    progress("measuring the highest rate within the SLO", 0.0)
    with ThreadPoolExecutor(thread_count(None)) as workers:
        return highest_met_mrps(0, subjects[0].filling_mrps(workload, None), is_met)
