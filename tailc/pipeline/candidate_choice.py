"""Choose among compiled candidates, such as several target parallelisms, by replay.

A larger target parallelism always looks better to the formula, which does not model queueing; the
paper chooses it by profiling (Haque et al., ASPLOS 2015, section 6.1). Here every candidate's table
is replayed on the design trace at every rate, on the same requests and arrivals.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from tailc.experiment.by_hand import is_for_cost, replay_settings
from tailc.experiment.sizes import DESIGN, Seed
from tailc.experiment.tuning_objective import Criterion, TuningObjective
from tailc.models.arrivals import Poisson
from tailc.models.subjects import subject_of
from tailc.pipeline.candidates import Candidate, CandidateSet
from tailc.pipeline.design_replays import OPTIONS
from tailc.pipeline.objectives import PredictedTails, RateTails, numbered_slos
from tailc.problems.problem import P, S
from tailc.progress import Progress
from tailc.traces.profile import DemandProfile


def choose_candidate(
    candidates: tuple[Candidate[P, S], ...],
    design: DemandProfile,
    threads: int,
    progress: Progress,
    aim: TuningObjective | None = None,
) -> CandidateSet[P, S]:
    """Replay the candidates and choose the one whose largest excess over the best is smallest.

    At each rate the excess is the ratio of the candidate's percentile of latency (or cost, for a
    cost objective) to that of the best candidate. The largest ratio over the rates counts, and ties
    go to the earlier candidate. If there are several SLOs, or costs count, a candidate that meets
    all SLOs goes before one that does not. If the objective is the highest rate, the candidate with
    the highest rate is chosen. A single candidate is not replayed.
    """
    replayed = []
    for number, candidate in enumerate(candidates):
        progress("replaying candidates", number / len(candidates))
        replayed.append(_replay(candidate, design, threads))
    if aim is not None and aim.criterion is Criterion.RATE:
        return _by_rate(replayed, design, threads, aim)
    amounts = [one.costs or one.tails_us for one in replayed]
    # Tails below a microsecond are 0: count them as 1.
    least = [max(min(each), 1) for each in zip(*amounts, strict=True)]
    regrets = [max(one / best for one, best in zip(each, least, strict=True)) for each in amounts]
    # If none meets all SLOs, findings about the best one are the nearest answer.
    meeting = [number for number, one in enumerate(replayed) if one.keeps_all]
    among = meeting or range(len(replayed))
    return CandidateSet(tuple(replayed), min(among, key=lambda number: regrets[number]))


def _by_rate(
    candidates: Sequence[Candidate[P, S]], design: DemandProfile, threads: int, aim: TuningObjective
) -> CandidateSet[P, S]:
    """Choose by the highest rate.

    A candidate that misses the SLO at the best rate so far is skipped.
    """
    from tailc.tuning.rate_sample import rate_sample
    from tailc.tuning.tuning_problem import ladder_problem

    assert aim.limit_us is not None
    result: list[Candidate[P, S]] = []
    best, most_mrps = 0, 0
    with ThreadPoolExecutor(threads) as workers:
        for number, candidate in enumerate(candidates):
            (table,) = candidate.policy.ladders
            problem = ladder_problem(table, design, aim)
            trials = rate_sample(
                problem.load,
                aim,
                aim.limit_us,
                problem,
                requests=DESIGN.requests,
                repeats=DESIGN.repeats,
                seed=Seed.DESIGN,
                workers=workers,
            )
            rate_mrps = None
            if not most_mrps or trials.keeps_most(table, most_mrps):
                rates_mrps = trials.highest_rates([table]).rates_mrps
                rate_mrps = round(float(rates_mrps.mean()))
                if rate_mrps > most_mrps:
                    best, most_mrps = number, rate_mrps
            result.append(replace(candidate, rate_mrps=rate_mrps))
    return CandidateSet(tuple(result), best)


def _replay(candidate: Candidate[P, S], design: DemandProfile, threads: int) -> Candidate[P, S]:
    """The candidate with its tails and costs at the spec's rates, and whether it meets all SLOs."""
    policy, limits = candidate.policy, numbered_slos(candidate.policy.slos, design)
    slos, subject = [limit.slo for limit in limits], subject_of(policy, design)
    with ThreadPoolExecutor(threads) as workers:
        each = [
            replay_settings(subject, (), design, slos, Poisson(rate), OPTIONS, workers)[0]
            for rate in policy.rates_mrps
        ]
    rates = zip(policy.rates_mrps, each, strict=True)
    result = PredictedTails(
        limits, tuple(RateTails(rate, one.tails_us, one.is_overloaded) for rate, one in rates)
    )
    known = [one.cost for one in each if one.cost is not None and is_for_cost(policy)]
    return replace(
        candidate,
        tails_us=tuple(one.tails_us[0] for one in each),
        costs=tuple(known),
        keeps_all=(len(slos) < 2 and not known) or result.holds,
    )
