"""Replayed estimates of a token-budget table before it is written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from tailc.artifact.envelope import REPLAYED, Policy
from tailc.artifact.estimates import ByHand, Estimates, RateEstimate, Sample, Standing
from tailc.errors import Code, Finding, Severity, TailcError
from tailc.experiment.token_comparison import TokenPoint, comparison_of
from tailc.experiment.token_replays import TailEstimate
from tailc.pipeline.estimate_findings import CLEARLY_PPM
from tailc.problems.token_budgets import BudgetObjective
from tailc.specs.load import LoadedSpec
from tailc.specs.slo import Slo
from tailc.traces.tokens import TokenTrace
from tailc.tuning.token_budgets import unseen_part
from tailc.units import format_mrps, format_percentile, format_us, shorten

_SEED, _REPLICATES = 1, 200
# What users can set by hand.
_BY_HAND = "best-static"
_ANYWAY = "; `--allow-misses` writes the policy all the same"


def with_token_estimates(policy: Policy, design: TokenTrace, threads: int) -> Policy:
    """Add estimated percentiles to a token-budget policy's evidence, at each of its rates.

    The best static budgets are added for comparison. The requests are those that a search did not
    use, or all if there was no search.
    """
    is_tuned = policy.evidence.proof == REPLAYED
    trace = unseen_part(design) if is_tuned else design
    comparison = comparison_of(policy, (_BY_HAND,), _SEED, _REPLICATES)
    with ThreadPoolExecutor(threads) as workers:
        points = comparison.points(trace, policy.rates_mrps, workers)
    estimates = Estimates(
        Sample.KEPT_BACK if is_tuned else Sample.IN_SAMPLE,
        trace.requests,
        1,
        _REPLICATES,
        trace.requests,
        tuple(_row(point, number) for point in points for number in range(len(policy.slos))),
    )
    return replace(policy, evidence=replace(policy.evidence, estimates=estimates))


def check_token_estimates(
    policy: Policy, loaded: LoadedSpec, *, allows_misses: bool
) -> tuple[Finding, ...]:
    """Check the estimates of a token-budget policy: warn of SLOs that are undecided or missed.

    Also warns if a static budget is better. Raises TailcError (INFEASIBLE) for an SLO that is
    missed at one of the rates, unless misses are allowed.
    """
    misses = list(_findings(policy, loaded, Standing.FAIL))
    if misses and not allows_misses:
        raise TailcError([replace(one, help=f"{one.help}{_ANYWAY}") for one in misses])
    found = (*misses, *_findings(policy, loaded, Standing.UNDECIDED))
    warned = (replace(one, code=Code.PREDICTED_MISS, severity=Severity.WARNING) for one in found)
    return (*warned, *_better_by_hand(policy, loaded))


def _better_by_hand(policy: Policy, loaded: LoadedSpec) -> Iterator[Finding]:
    """Warn of the rates at which a static budget is better, with the largest margin."""
    if policy.evidence.objective != BudgetObjective.TAIL.value:
        return
    estimates = policy.evidence.estimates
    assert estimates is not None
    better = [row for row in estimates.rows if _is_better_by_hand(row, estimates.rows, policy)]
    if not better:
        return
    row = max(better, key=lambda one: one.by_hand.change_ppm if one.by_hand else 0)
    assert row.by_hand is not None
    slo, shorter = policy.slos[0], 1 - row.by_hand.tail_us / row.tail_us
    of_class = "" if slo.request_class is None else f" for class {shorten(slo.request_class)}"
    message = (
        f"at {format_mrps(row.rate_mrps)} the setting by hand `{row.by_hand.name}` has a "
        f"{slo.metric.value} {format_percentile(slo.percentile_ppm)}{of_class} that is "
        f"{100 * shorter:.1f} % shorter than that of the policy"
    )
    if len(policy.slos) > 1:
        message += ", and meets the other SLOs"
    also = [format_mrps(one.rate_mrps) for one in better if one is not row]
    if also:
        message += f"; a static budget is also better at {', '.join(also)}"
    hint = "raise `search.effort`, give a longer trace, or compile a policy for each of these rates"
    if policy.evidence.proof != REPLAYED:
        hint = "set `search.method: auto`, which compares tables in replays, or use that setting"
    place = loaded.place("rates") if policy.rates_mrps else loaded.place("slo", 0, "latency")
    yield Finding(Code.BETTER_BY_HAND, message, place, hint, Severity.WARNING)


def _is_better_by_hand(row: RateEstimate, rows: Sequence[RateEstimate], policy: Policy) -> bool:
    """Whether a static budget clearly has the shorter tail of the first SLO, within the others."""
    others = [one for one in rows if one.rate_mrps == row.rate_mrps and one.slo != 0]
    return (
        row.slo == 0
        and row.by_hand is not None
        and row.by_hand.change_ppm > CLEARLY_PPM
        and all(
            one.by_hand is not None and one.by_hand.tail_us <= policy.slos[one.slo].latency_us
            for one in others
        )
    )


def _findings(policy: Policy, loaded: LoadedSpec, standing: Standing) -> Iterator[Finding]:
    """For each SLO a finding at the lowest rate with that result."""
    estimates = policy.evidence.estimates
    assert estimates is not None
    rows = [row for row in estimates.rows if row.standing is standing]
    for number in sorted({row.slo for row in rows}):
        row = min((one for one in rows if one.slo == number), key=lambda one: one.rate_mrps)
        place = loaded.place("slo", number, "latency")
        yield Finding(Code.INFEASIBLE, _sentence(policy.slos[number], row), place, _hint(row))


def _sentence(slo: Slo, row: RateEstimate) -> str:
    rate = format_mrps(row.rate_mrps)
    if row.standing is Standing.FAIL:
        return f"`{slo}` is missed: at {rate} that percentile is {format_us(row.tail_us)}"
    high = "unknown" if row.high_us is None else format_us(row.high_us)
    return f"`{slo}` is undecided at {rate}: its 95 % interval is {format_us(row.low_us)} to {high}"


def _hint(row: RateEstimate) -> str:
    if row.standing is Standing.FAIL:
        return "lower `rates`, relax the latency, or use a faster engine"
    return "give a longer trace, or relax the latency"


def _row(point: TokenPoint, number: int) -> RateEstimate:
    own, tail = point.policy, point.policy.tails[number]
    (static,) = point.baselines
    return RateEstimate(
        number,
        format_mrps(point.rate_mrps),
        point.rate_mrps,
        tail.us,
        tail.low_us,
        tail.high_us,
        Standing(own.rulings[number].value),
        _by_hand(tail, f"static, {static.note}", static.tails[number]),
    )


def _by_hand(tail: TailEstimate, name: str, other: TailEstimate) -> ByHand:
    change_ppm = round(1_000_000 * (tail.us / max(other.us, 1) - 1))
    return ByHand(name, other.us, change_ppm, 0, None)
