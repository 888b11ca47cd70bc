"""Choose between compiled candidates on the replay: the formula alone cannot.

A larger target parallelism always looks better to the formula, which knows no queueing; so the
paper chooses it by profiling (Haque et al., ASPLOS 2015, section 6.1). Here every candidate's
table is replayed on the design sample at every rate, on the same requests and arrivals.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TypeAlias

from tailc.experiment.tuning_objective import Goal, QueueAim
from tailc.forms.ladder.table import Ladder
from tailc.forms.shares import Shares
from tailc.forms.tail_table import TailTable
from tailc.models.arrivals import Poisson
from tailc.models.subject import Subject
from tailc.pipeline.design_replays import REPLAYS, REQUESTS_PER_REPLAY, SEED
from tailc.pipeline.objectives import limits_of, predicted
from tailc.pipeline.parts import Design
from tailc.pipeline.progress import Progress
from tailc.pipeline.queue.approach import approach_to
from tailc.pipeline.queue.rate_trials import RateTrials
from tailc.pipeline.solve import Problem, Solution
from tailc.policies import KindSpec
from tailc.traces.profile import DemandProfile

Form: TypeAlias = Ladder | TailTable | Shares


@dataclass(frozen=True)
class Candidate:
    """One spec of a sweep, solved. `tails_us` has the replayed tail at each of the spec's rates.

    rate_mrps: the highest rate that meets the SLO, where that is asked; None of one that is lower
    than of a candidate before. keeps_all: whether every objective holds at every rate in the
    replays; of one objective alone that is not asked.
    """

    spec: KindSpec
    problem: Problem
    solution: Solution
    form: Form
    tails_us: tuple[int, ...] = ()
    rate_mrps: int | None = None
    keeps_all: bool = True


@dataclass(frozen=True)
class Sweep:
    """All candidates in the order of the spec, and the number of the chosen one."""

    candidates: tuple[Candidate, ...]
    best: int

    @property
    def chosen(self) -> Candidate:
        """The candidate that becomes the policy."""
        return self.candidates[self.best]


def choose(
    candidates: tuple[Candidate, ...],
    design: Design,
    threads: int,
    progress: Progress,
    aim: QueueAim | None = None,
) -> Sweep:
    """The candidate that is never far from the best at any rate; one alone is not replayed.

    Least is the largest ratio, over the rates, of a candidate's tail to the best candidate's; ties
    go to the earlier one. One that keeps all of several objectives goes before one that does not.
    Where the highest rate is the aim, it is that of the highest.
    """
    if len(candidates) == 1:
        return Sweep(candidates, 0)
    replayed = []
    for number, candidate in enumerate(candidates):
        progress("replaying candidates", number / len(candidates))
        replayed.append(_replayed(candidate, design, threads))
    if aim is not None and aim.goal is Goal.RATE:
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


def _by_rate(candidates: list[Candidate], design: Design, threads: int, aim: QueueAim) -> Sweep:
    """One that misses the SLO at the highest rate so far is no better, whatever its own."""
    assert isinstance(design, DemandProfile)
    assert aim.limit_us is not None
    found: list[Candidate] = []
    best, most_mrps = 0, 0
    with ThreadPoolExecutor(threads) as workers:
        for number, candidate in enumerate(candidates):
            assert isinstance(candidate.form, Ladder)
            approach = approach_to(candidate.form, design, aim)
            trials = RateTrials(
                approach.load,
                aim,
                aim.limit_us,
                approach,
                requests=REQUESTS_PER_REPLAY,
                repeats=REPLAYS,
                seed=SEED,
                workers=workers,
            )
            rate_mrps = None
            if not most_mrps or trials.keeps_most(candidate.form, most_mrps):
                rates_mrps = trials.kept([candidate.form]).rates_mrps
                rate_mrps = round(float(rates_mrps.mean()))
                if rate_mrps > most_mrps:
                    best, most_mrps = number, rate_mrps
            found.append(replace(candidate, rate_mrps=rate_mrps))
    return Sweep(tuple(found), best)


def _replayed(candidate: Candidate, design: Design, threads: int) -> Candidate:
    """With its tails at the spec's rates, and whether it keeps all of several objectives."""
    form, spec = candidate.form, candidate.spec
    # The others have no candidates to choose from.
    assert isinstance(form, Ladder)
    assert isinstance(design, DemandProfile)
    arrivals = [(rate_mrps, Poisson(rate_mrps)) for rate_mrps in spec.rates_mrps]
    limits = limits_of(spec.slos, design)
    found = predicted(Subject(spec.name, (form,)), limits, design, arrivals, threads)
    tails_us = tuple(one.tails_us[0] for one in found.rates)
    return replace(candidate, tails_us=tails_us, keeps_all=len(spec.slos) < 2 or found.holds)
