"""Choose between compiled candidates on the replay: the formula alone cannot.

A larger target parallelism always looks better to the formula, which knows no queueing; so the
paper chooses it by profiling (Haque et al., ASPLOS 2015, section 6.1). Here every candidate's
table is replayed on the design sample at every rate, on the same requests and arrivals.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Generic

from tailc.experiment.sizes import DESIGN, Seed
from tailc.experiment.tuning_objective import Criterion, TuningObjective
from tailc.models.arrivals import Poisson
from tailc.models.subjects import on_ladders
from tailc.pipeline.candidates import Candidate
from tailc.pipeline.objectives import limits_of, predicted
from tailc.pipeline.progress import Progress
from tailc.pipeline.queue.approach import approach_to
from tailc.pipeline.queue.rate_sample import rate_sample
from tailc.problems.problem import P, S
from tailc.traces.profile import DemandProfile


@dataclass(frozen=True)
class Sweep(Generic[P, S]):
    """All candidates in the order of the spec, and the number of the chosen one."""

    candidates: tuple[Candidate[P, S], ...]
    best: int = 0

    @property
    def chosen(self) -> Candidate[P, S]:
        """The candidate that becomes the policy."""
        return self.candidates[self.best]


def choose(
    candidates: tuple[Candidate[P, S], ...],
    design: DemandProfile,
    threads: int,
    progress: Progress,
    aim: TuningObjective | None = None,
) -> Sweep[P, S]:
    """The candidate that is never far from the best at any rate; one alone is not replayed.

    Several are ladders. Least is the largest ratio, over the rates, of a candidate's tail to the
    best candidate's; ties go to the earlier one. One that keeps all of several objectives goes
    before one that does not. Where the highest rate is the aim, it is that of the highest.
    """
    if len(candidates) == 1:
        return Sweep(candidates)
    replayed = []
    for number, candidate in enumerate(candidates):
        progress("replaying candidates", number / len(candidates))
        replayed.append(_replayed(candidate, design, threads))
    if aim is not None and aim.criterion is Criterion.RATE:
        return _by_rate(replayed, design, threads, aim)
    # Tails below a microsecond read 0: count them as one.
    best_us = [max(min(tails), 1) for tails in zip(*(c.tails_us for c in replayed), strict=True)]
    regrets = [
        max(tail / best for tail, best in zip(c.tails_us, best_us, strict=True)) for c in replayed
    ]
    # Where none keeps all objectives, what is said of the best one is the nearest there is.
    kept = [number for number, one in enumerate(replayed) if one.keeps_all]
    among = kept or range(len(replayed))
    return Sweep(tuple(replayed), min(among, key=lambda number: regrets[number]))


def _by_rate(
    candidates: Sequence[Candidate[P, S]], design: DemandProfile, threads: int, aim: TuningObjective
) -> Sweep[P, S]:
    """One that misses the SLO at the highest rate so far is no better, whatever its own."""
    assert aim.limit_us is not None
    found: list[Candidate[P, S]] = []
    best, most_mrps = 0, 0
    with ThreadPoolExecutor(threads) as workers:
        for number, candidate in enumerate(candidates):
            (table,) = candidate.policy.ladders
            approach = approach_to(table, design, aim)
            trials = rate_sample(
                approach.load,
                aim,
                aim.limit_us,
                approach,
                requests=DESIGN.requests,
                repeats=DESIGN.repeats,
                seed=Seed.DESIGN,
                workers=workers,
            )
            rate_mrps = None
            if not most_mrps or trials.keeps_most(table, most_mrps):
                rates_mrps = trials.kept([table]).rates_mrps
                rate_mrps = round(float(rates_mrps.mean()))
                if rate_mrps > most_mrps:
                    best, most_mrps = number, rate_mrps
            found.append(replace(candidate, rate_mrps=rate_mrps))
    return Sweep(tuple(found), best)


def _replayed(candidate: Candidate[P, S], design: DemandProfile, threads: int) -> Candidate[P, S]:
    """With its tails at the spec's rates, and whether it keeps all of several objectives."""
    policy = candidate.policy
    arrivals = [(rate_mrps, Poisson(rate_mrps)) for rate_mrps in policy.rates_mrps]
    limits = limits_of(policy.slos, design)
    subject = on_ladders(policy.name, policy.ladders)
    found = predicted(subject, limits, design, arrivals, threads)
    tails_us = tuple(one.tails_us[0] for one in found.rates)
    return replace(candidate, tails_us=tails_us, keeps_all=len(policy.slos) < 2 or found.holds)
