"""The rates of a first spec: what a server carries within its SLOs, measured on replays."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from tailc.experiment.experiment import experiment_for
from tailc.experiment.options import VerifyOptions
from tailc.experiment.server_use import load
from tailc.experiment.sizes import BY_HAND
from tailc.experiment.tail_sample import tail_of
from tailc.forms.ladder.table import Ladder
from tailc.models.arrivals import Poisson
from tailc.models.shared_cores.baselines.fixed import fixed
from tailc.models.shared_cores.model import SharedCores
from tailc.pipeline.compile import compile_opened
from tailc.pipeline.objectives import highest_kept_mrps
from tailc.pipeline.progress import Progress
from tailc.pipeline.spec import OpenedSpec
from tailc.threads import thread_count
from tailc.traces.profile import DemandProfile

_OPTIONS = VerifyOptions(requests_per_replay=BY_HAND.requests, repeats=BY_HAND.repeats)


def highest_rate_mrps(
    opened: OpenedSpec, requests: DemandProfile, progress: Progress
) -> int | None:
    """The highest rate at which some fixed number of threads keeps all SLOs of a few-to-many spec.

    In requests per 1000 s, of two digits; None: none keeps them at any rate. Arrivals are Poisson,
    and numbers of threads 1, 2, 4, ... and the most.
    """
    policy = compile_opened(opened, progress=progress).policy
    (table,) = policy.ladders
    subjects = [SharedCores(policy.name, (fixed(table, rung),)) for rung in range(len(table.rungs))]
    tails = [tail_of(slo, requests) for slo in policy.slos]
    workload = subjects[0].workload(requests)

    def keeps(subject: SharedCores, rate_mrps: int) -> bool:
        arrivals = Poisson(rate_mrps)
        experiment = experiment_for(_OPTIONS, workload, arrivals, workers, subject)
        repeats = experiment.used(subject, tails)
        limits = zip(repeats.tails_us, policy.slos, strict=True)
        is_met = all(tail_us <= slo.latency_us for tail_us, slo in limits)
        return is_met and not load(arrivals, repeats.kept).is_overloaded

    def holds(rate_mrps: int) -> bool:
        return any(keeps(each, rate_mrps) for each in subjects)

    progress("measuring what the server carries", 0.0)
    with ThreadPoolExecutor(thread_count(None)) as workers:
        return highest_kept_mrps(0, subjects[0].filling_mrps(workload, None), holds)


def _doubled(table: Ladder) -> list[int]:
    """The rungs of 1, 2, 4, ... threads, and the last."""
    last = len(table.rungs) - 1
    return sorted({last, *((1 << power) - 1 for power in range((last + 1).bit_length()))})
