"""Estimate a policy's tails by replay before it is written.

The requests are those withheld from the search if there are any, else the design trace. `verify`
judges on held-out requests.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from tailc.artifact.envelope import Policy
from tailc.artifact.estimates import ByHand, Estimates, RateEstimate, Sample, Standing
from tailc.experiment.by_hand import (
    SettingResult,
    best_by_hand,
    is_for_cost,
    replay_settings,
    worth_of,
)
from tailc.experiment.comparison import compare
from tailc.experiment.options import VerifyOptions
from tailc.experiment.point import Point, Run
from tailc.experiment.policy_arrivals import arrivals_of
from tailc.experiment.ruling import Ruling
from tailc.experiment.sizes import BY_HAND
from tailc.models.subjects import subject_of
from tailc.percentiles import PPM
from tailc.pipeline.auto.effort import Effort
from tailc.pipeline.auto.holdback import Holdback
from tailc.progress import Progress


def with_estimates(
    policy: Policy, requests: Holdback, effort: Effort, threads: int, progress: Progress
) -> tuple[Policy, tuple[int | None, ...]]:
    """Estimate percentiles of the policy, and of the best fixed settings, at the policy's rates.

    Returns the policy with both in its evidence, and for each estimate about how many more requests
    of the trace would decide whether the SLO is met; None if that is decided, or if no number of
    requests would decide it.
    """
    profile, arrivals = requests.judging, arrivals_of(policy)
    subject, sizes = subject_of(policy, profile), effort.budget.judging
    with ThreadPoolExecutor(threads) as workers:
        progress("replaying what could be set by hand", 0.0)
        few = VerifyOptions(requests_per_replay=BY_HAND.requests, repeats=BY_HAND.repeats)
        by_cost = is_for_cost(policy)
        names = best_by_hand(
            subject, profile, policy.slos[0], arrivals, few, workers, by_cost=by_cost
        )
        options = VerifyOptions(
            baselines=(),
            requests_per_replay=sizes.requests,
            repeats=sizes.repeats,
            replicates=sizes.replicates,
            progress=lambda done, of: progress("replaying the policy", done / of),
        )
        points = compare(subject, policy.slos, profile, arrivals, options, workers, by_cost=by_cost)
        replayed = [
            replay_settings(subject, names, profile, policy.slos, one, options, workers)
            for one in arrivals
        ]
    estimates = Estimates(
        Sample.KEPT_BACK if requests.is_held_out else Sample.IN_SAMPLE,
        profile.total_weight,
        sizes.repeats,
        sizes.replicates,
        sizes.requests,
        tuple(
            _row(point, own, others, slo, policy)
            for point, (own, *others) in zip(points, replayed, strict=True)
            for slo in range(len(policy.slos))
        ),
    )
    each = range(len(policy.slos))
    more = [point.policy.estimates[slo].more_requests for point in points for slo in each]
    policy = replace(policy, evidence=replace(policy.evidence, estimates=estimates))
    return policy, tuple(None if count is None else requests.more_rows(count) for count in more)


def _row(
    point: Point, replayed: SettingResult, others: Sequence[SettingResult], slo: int, policy: Policy
) -> RateEstimate:
    own = point.policy.estimates[slo]
    return RateEstimate(
        slo,
        point.arrivals,
        point.rate_mrps,
        own.estimate_us,
        own.low_us,
        own.high_us,
        _standing(point.policy, slo),
        _by_hand(replayed, others, slo, policy),
    )


def _standing(run: Run, slo: int) -> Standing:
    if run.load.is_overloaded:
        return Standing.OVERLOADED
    match run.estimates[slo].ruling:
        case Ruling.PASS:
            return Standing.PASS
        case Ruling.FAIL:
            return Standing.FAIL
        case Ruling.UNDECIDED:
            return Standing.UNDECIDED


def _by_hand(
    own: SettingResult, others: Sequence[SettingResult], slo: int, policy: Policy
) -> ByHand | None:
    """The fastest setting by hand, or for a cost objective the cheapest that meets the SLOs."""
    if not others:
        return None
    limit_us, by_cost = policy.slos[slo].latency_us, is_for_cost(policy)

    def misses(one: SettingResult) -> bool:
        limits = zip(one.tails_us, policy.slos, strict=True)
        return any(tail_us > other.latency_us for tail_us, other in limits)

    def rank(one: SettingResult) -> tuple[bool, bool, bool, float]:
        worth = worth_of(one.evaluate(slo), limit_us, by_cost=by_cost)
        return one.is_overloaded, by_cost and misses(one), *worth

    best = min(others, key=rank)
    return ByHand(
        best.name,
        best.tails_us[slo],
        _change_ppm(own.tails_us[slo], best.tails_us[slo]),
        int(best.is_overloaded),
        _cost_change_ppm(own.cost, best.cost),
    )


def _cost_change_ppm(cost: float | None, base: float | None) -> int | None:
    return round(PPM * (cost / base - 1)) if cost is not None and base else None


def _change_ppm(value: float, base: float) -> int:
    return round(PPM * (value / max(base, 1) - 1))
