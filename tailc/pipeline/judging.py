"""What replays say of the policy that is about to be written, and whether it may be.

It is an estimate: of requests that no search saw where some were kept back, else of those that the
policy was made from. `verify` judges on others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from tailc.artifact.envelope import Policy
from tailc.artifact.estimates import ByHand, Estimates, RateEstimate, Sample, Standing
from tailc.errors import Code, Finding, Severity, TailcError
from tailc.experiment.by_hand import (
    Replayed,
    best_by_hand,
    is_for_cost,
    replayed_beside,
    worth_of,
)
from tailc.experiment.comparison import compared
from tailc.experiment.options import VerifyOptions
from tailc.experiment.point import Point, Run
from tailc.experiment.policy_arrivals import arrivals_of
from tailc.experiment.ruling import Ruling
from tailc.experiment.sizes import BY_HAND
from tailc.models.subjects import subject_of
from tailc.percentiles import PPM
from tailc.pipeline.auto.effort import Effort
from tailc.pipeline.auto.holdback import Holdback
from tailc.pipeline.progress import Progress
from tailc.specs.load import LoadedSpec
from tailc.specs.slo import promise
from tailc.units import format_mrps, format_us


def with_estimates(
    policy: Policy, requests: Holdback, effort: Effort, threads: int, progress: Progress
) -> Policy:
    """The policy, and in its evidence what it and the best settings by hand do at its rates."""
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
        points = compared(subject, policy.slos, profile, arrivals, options, workers)
        replayed = [
            replayed_beside(subject, names, profile, policy.slos, one, options, workers)
            for one in arrivals
        ]
    found = Estimates(
        Sample.KEPT_BACK if requests.is_kept_back else Sample.IN_SAMPLE,
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
    return replace(policy, evidence=replace(policy.evidence, estimates=found))


def _row(
    point: Point, replayed: Replayed, others: Sequence[Replayed], slo: int, policy: Policy
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


def _by_hand(own: Replayed, others: Sequence[Replayed], slo: int, policy: Policy) -> ByHand | None:
    """The cheapest within the limit, where the policy is to cost little; else the fastest."""
    if not others:
        return None
    limit_us, by_cost = policy.slos[slo].latency_us, is_for_cost(policy)

    def rank(one: Replayed) -> tuple[bool, bool, float]:
        return one.is_overloaded, *worth_of(one.tried(slo), limit_us, by_cost=by_cost)

    best = min(others, key=rank)
    return ByHand(
        best.name,
        best.tails_us[slo],
        _change_ppm(own.tails_us[slo], best.tails_us[slo]),
        int(best.is_overloaded),
        _cost_change_ppm(own.cost, best.cost),
    )


def _cost_change_ppm(cost: float | None, base: float | None) -> int | None:
    return _change_ppm(cost, base) if cost is not None and base else None


def _change_ppm(value: float, base: float) -> int:
    return round(PPM * (value / max(base, 1) - 1))


def check_estimates(
    policy: Policy, loaded: LoadedSpec, keeps: Callable[[int], bool], *, allows_misses: bool
) -> tuple[Finding, ...]:
    """Warnings of what is undecided, and of what is missed where that is allowed.

    keeps(rate_mrps): whether the SLOs hold there. Raises TailcError (INFEASIBLE) for an SLO that is
    missed, or a server that is overloaded, at one of the spec's rates.
    """
    estimates = policy.evidence.estimates
    if estimates is None:
        return ()
    missed = [one for one in estimates.rows if one.standing in (Standing.FAIL, Standing.OVERLOADED)]
    undecided = [one for one in estimates.rows if one.standing is Standing.UNDECIDED]
    found = list(_missed(missed, policy, loaded, keeps))
    if found and not allows_misses:
        raise TailcError(found)
    warned = [replace(one, code=Code.PREDICTED_MISS, severity=Severity.WARNING) for one in found]
    return (*warned, *(_undecided(one, policy, loaded) for one in undecided))


def is_undecided(policy: Policy) -> bool:
    """Whether replays do not decide one of its SLOs at one of its rates."""
    estimates = policy.evidence.estimates
    rows = () if estimates is None else estimates.rows
    return any(one.standing is Standing.UNDECIDED for one in rows)


def _missed(
    rows: Sequence[RateEstimate],
    policy: Policy,
    loaded: LoadedSpec,
    keeps: Callable[[int], bool],
) -> Iterator[Finding]:
    """One finding for each SLO, of the lowest rate where it is missed."""
    for number in sorted({one.slo for one in rows}):
        worst = min((one for one in rows if one.slo == number), key=lambda one: one.rate_mrps)
        slo, rate = policy.slos[number], format_mrps(worst.rate_mrps)
        objective = promise(slo.percentile_ppm, slo.latency_us)
        is_overloaded = worst.standing is Standing.OVERLOADED
        if is_overloaded:
            message = f"`{objective}` is missed: at {rate} the server is overloaded"
        else:
            message = f"`{objective}` is missed: at {rate} that percentile is "
            message += f"{format_us(worst.tail_us)} in replays"
        held = _highest_kept_mrps(worst.rate_mrps, keeps)
        lower = f"lower `rates` to {format_mrps(held)} at most, " if held else ""
        relaxed = "" if is_overloaded else f" to {format_us(worst.high_us or worst.tail_us)}"
        hint = f"{lower}give the server more cores or threads, relax the latency{relaxed}, or "
        hint += "write the policy as it is by `--allow-misses`"
        place = loaded.place("slo", number, "latency")
        yield Finding(Code.INFEASIBLE, message, place, hint)


# Of a rate that is named to go down to.
_HALVINGS, _DIGITS = 6, 2


def _highest_kept_mrps(missed_mrps: int, keeps: Callable[[int], bool]) -> int | None:
    """About the highest rate below one that is kept, by halving; None where none is found."""
    low, high = 0, missed_mrps
    for _ in range(_HALVINGS):
        middle = (low + high) // 2
        if middle <= low:
            break
        low, high = (middle, high) if keeps(middle) else (low, middle)
    digits = max(len(str(low)) - _DIGITS, 0)
    return low // 10**digits * 10**digits or None


def _undecided(row: RateEstimate, policy: Policy, loaded: LoadedSpec) -> Finding:
    slo = policy.slos[row.slo]
    high = "without an upper end" if row.high_us is None else f"to {format_us(row.high_us)}"
    message = f"`{promise(slo.percentile_ppm, slo.latency_us)}` is undecided at "
    message += f"{format_mrps(row.rate_mrps)}: the 95 % interval of that percentile is "
    message += f"{format_us(row.low_us)} {high}"
    hint = "give a longer trace"
    place = loaded.place("slo", row.slo, "latency")
    return Finding(Code.PREDICTED_MISS, message, place, hint, Severity.WARNING)
