"""Replayed estimates of a budget table before it is written."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from tailc.artifact.envelope import REPLAYED, Policy
from tailc.artifact.estimates import ByHand, Estimates, RateEstimate, Sample, Standing
from tailc.errors import Code, Finding, Severity, TailcError
from tailc.experiment.token_comparison import TokenPoint, comparison_of
from tailc.experiment.token_replays import TailEstimate
from tailc.specs.load import LoadedSpec
from tailc.specs.slo import Slo
from tailc.traces.tokens import TokenTrace
from tailc.tuning.token_budgets import unseen_part
from tailc.units import format_mrps, format_us

_SEED, _REPLICATES = 1, 200
# What users can set by hand.
_BY_HAND = "best-static"
_ANYWAY = "; `--allow-misses` writes the policy all the same"


def with_token_estimates(policy: Policy, design: TokenTrace, threads: int) -> Policy:
    """Add to the policy's evidence its estimates and the best static budgets, at its rates.

    The requests are those that a search did not see, or all if there was no search.
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
    """Warn of SLOs that are undecided, or missed if that is allowed.

    Raises TailcError (INFEASIBLE) for an SLO that is missed at one of the rates.
    """
    misses = list(_findings(policy, loaded, Standing.FAIL))
    if misses and not allows_misses:
        raise TailcError([replace(one, help=f"{one.help}{_ANYWAY}") for one in misses])
    found = (*misses, *_findings(policy, loaded, Standing.UNDECIDED))
    return tuple(replace(one, code=Code.PREDICTED_MISS, severity=Severity.WARNING) for one in found)


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
