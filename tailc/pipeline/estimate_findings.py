"""Decide from replayed estimates whether a policy may be written, and warn about it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace

from tailc.artifact.envelope import Policy
from tailc.artifact.estimates import RateEstimate, Standing
from tailc.errors import Code, Finding, Severity, TailcError
from tailc.experiment.by_hand import is_for_cost
from tailc.percentiles import PPM
from tailc.pipeline.objectives import highest_met_mrps
from tailc.specs.load import LoadedSpec
from tailc.specs.slo import promise
from tailc.units import format_mrps, format_percentile, format_us

_PPM_PER_PERCENT = 10_000


_ANYWAY = "; `--allow-misses` writes the policy all the same"


def check_estimates(
    policy: Policy,
    more: Sequence[int | None],
    loaded: LoadedSpec,
    keeps: Callable[[int], bool],
    *,
    allows_misses: bool,
    is_auto: bool,
    unattainable: Collection[int],
) -> tuple[Finding, ...]:
    """Warn of undecided SLOs, of missed ones if allowed, and of better settings by hand.

    more: about how many more requests would decide each estimate. keeps: whether all SLOs hold at a
    rate. is_auto: whether the method `auto` chose the policy. unattainable: numbers of the SLOs
    that are missed even without waiting. Raises TailcError (INFEASIBLE) for an SLO that is missed,
    or a server that is overloaded, at one of the spec's rates.
    """
    estimates = policy.evidence.estimates
    if estimates is None:
        return ()
    missed = [one for one in estimates.rows if one.standing in (Standing.FAIL, Standing.OVERLOADED)]
    undecided = [
        (one, count)
        for one, count in zip(estimates.rows, more, strict=True)
        if one.standing is Standing.UNDECIDED
    ]
    misses = list(_missed_findings(missed, policy, loaded, keeps, unattainable))
    if misses and not allows_misses:
        raise TailcError([replace(one, help=f"{one.help}{_ANYWAY}") for one in misses])
    warned = [replace(one, code=Code.PREDICTED_MISS, severity=Severity.WARNING) for one in misses]
    return (
        *warned,
        *(_undecided_finding(one, count, policy, loaded) for one, count in undecided),
        *_better_by_hand(policy, estimates.rows, loaded, is_auto=is_auto),
    )


def is_undecided(policy: Policy) -> bool:
    """Whether replays leave some SLO undecided at some rate."""
    estimates = policy.evidence.estimates
    rows = () if estimates is None else estimates.rows
    return any(one.standing is Standing.UNDECIDED for one in rows)


def _missed_findings(
    rows: Sequence[RateEstimate],
    policy: Policy,
    loaded: LoadedSpec,
    keeps: Callable[[int], bool],
    unattainable: Collection[int],
) -> Iterator[Finding]:
    """For each SLO a finding at the lowest rate with an overloaded server, or else with a miss."""
    for number in sorted({one.slo for one in rows}):
        worst = min(
            (one for one in rows if one.slo == number),
            key=lambda one: (one.standing is not Standing.OVERLOADED, one.rate_mrps),
        )
        slo, rate = policy.slos[number], format_mrps(worst.rate_mrps)
        objective = promise(slo.percentile_ppm, slo.latency_us)
        is_overloaded = worst.standing is Standing.OVERLOADED
        if is_overloaded:
            message = f"`{objective}` is missed: at {rate} the server is overloaded"
        else:
            message = f"`{objective}` is missed: at {rate} that percentile is "
            message += f"{format_us(worst.tail_us)} in replays"
        held = highest_met_mrps(0, worst.rate_mrps, keeps)
        ways = [f"lower `rates` to at most {format_mrps(held)}"] if held else []
        # Further cores and threads only shorten the wait.
        is_alone = number in unattainable
        ways.append("make single requests faster" if is_alone else "add cores or threads")
        if not is_overloaded:
            # A compile for a longer latency may use more of it.
            relaxed = f" to at least {format_us(worst.high_us)}" if worst.high_us else ""
            ways.append(f"relax the latency{relaxed}")
        hint = ", or ".join(ways)
        place = loaded.place("slo", number, "latency")
        yield Finding(Code.INFEASIBLE, message, place, hint)


# Smaller differences of two replayed settings may be due to these requests alone.
CLEARLY_PPM = 20_000


def _better_by_hand(
    policy: Policy, rows: Sequence[RateEstimate], loaded: LoadedSpec, *, is_auto: bool
) -> Iterator[Finding]:
    """Warn of the rate at which a setting by hand is better by the largest margin."""
    by_cost = is_for_cost(policy)
    is_compared = is_auto or policy.evidence.method in _COMPARING
    gains = [
        (gain, row)
        for row in rows
        if (gain := _gain_by_hand_ppm(row, policy, by_cost, is_compared))
        and _keeps_all(row, rows, policy)
    ]
    if not gains:
        return
    gain_ppm, row = max(gains, key=lambda pair: pair[0])
    assert row.by_hand is not None
    percentile = format_percentile(policy.slos[row.slo].percentile_ppm)
    gain = f"{gain_ppm / _PPM_PER_PERCENT:.1f} %"
    better = f"has a {percentile} that is {gain} shorter than that of the policy"
    if by_cost:
        costs = f"costs {gain} less"
        if policy.batch is not None:
            costs = f"does batch work with {gain} less energy"
        better = f"{costs} than the policy and meets the SLO"
    message = f"at {format_mrps(row.rate_mrps)} the setting by hand `{row.by_hand.name}` {better}"
    place = loaded.place("rates")
    hint = _advice_against(policy, is_compared=is_compared)
    yield Finding(Code.BETTER_BY_HAND, message, place, hint, Severity.WARNING)


# Methods that compare a table with settings by hand.
_COMPARING = ("auto", "simulation")


def _advice_against(policy: Policy, *, is_compared: bool) -> str:
    """Advice for a policy that is worse than a setting by hand."""
    if is_compared:
        return "give a longer trace, or fewer rates, so that one table suits them"
    if policy.batch is not None:
        return "remove `search.method`: the default also tries pairs of fixed frequencies"
    if policy.tail_table is not None:
        return (
            "set `search.method: simulation`, which compares tables in replays, or use that setting"
        )
    if policy.controller is not None:
        return (
            "set `search.method: auto`, which keeps the controller only if no table without one is "
            "better"
        )
    key = "`search.method` (for Elfen: `policy`)"
    return f"remove {key}: the default also tries the settings that can be chosen by hand"


def _keeps_all(row: RateEstimate, rows: Sequence[RateEstimate], policy: Policy) -> bool:
    """Whether one setting by hand is the best for every SLO at a rate, and meets the other SLOs.

    Always true with a single SLO.
    """
    others = [one for one in rows if one.arrivals == row.arrivals and one.slo != row.slo]
    return all(
        one.by_hand is not None
        and row.by_hand is not None
        and one.by_hand.name == row.by_hand.name
        and one.by_hand.tail_us <= policy.slos[one.slo].latency_us
        for one in others
    )


def _gain_by_hand_ppm(row: RateEstimate, policy: Policy, by_cost: bool, is_compared: bool) -> int:
    """How much lower the best setting by hand is than the policy at this rate; 0 if not clearly.

    A faster setting must be below the whole interval of the policy's percentile. A cheaper one must
    be 2 % below the SLO's latency and meet the policy's target, or be as fast as the policy. If the
    policy does not surely meet the SLO, and was compared with no setting, it need only meet both.
    """
    setting, has_tail = row.by_hand, row.standing in (Standing.PASS, Standing.UNDECIDED)
    if setting is None or setting.is_overloaded or not has_tail:
        return 0
    change_ppm = setting.cost_change_ppm if by_cost else setting.change_ppm
    latency_us = policy.slos[row.slo].latency_us
    target_us = dict(policy.evidence.settings).get("target_us", latency_us)
    is_unsure = row.standing is Standing.UNDECIDED and not is_compared
    most_us = latency_us if is_unsure else latency_us * (PPM - CLEARLY_PPM) // PPM
    surely_us = min(most_us, target_us)
    if by_cost and setting.tail_us > max(row.tail_us, surely_us):
        return 0
    if change_ppm is None or change_ppm <= CLEARLY_PPM:
        return 0
    if not by_cost and setting.tail_us >= row.low_us:
        return 0
    return round(PPM - PPM * PPM / (PPM + change_ppm))


def _undecided_finding(
    row: RateEstimate, more: int | None, policy: Policy, loaded: LoadedSpec
) -> Finding:
    slo = policy.slos[row.slo]
    message = f"`{promise(slo.percentile_ppm, slo.latency_us)}` is undecided at "
    message += f"{format_mrps(row.rate_mrps)}: {interval_text(row.low_us, row.high_us)}"
    hint = "relax the latency: the percentile is so near to it that no number of requests decides"
    if more is not None:
        hint = f"give a longer trace: about {more:,} more requests would decide it"
    place = loaded.place("slo", row.slo, "latency")
    return Finding(Code.PREDICTED_MISS, message, place, hint, Severity.WARNING)


def interval_text(low_us: int, high_us: int | None) -> str:
    """Describe the 95 % interval of a percentile by its limits.

    high_us: None if the sample is too small for an upper limit; low_us: 0 if it has no lower limit.
    """
    if high_us is not None:
        limits = f"{format_us(low_us)} to {format_us(high_us)}"
        return f"the 95 % interval of that percentile is {limits}"
    if low_us == 0:
        return "the sample is too small for a 95 % interval of that percentile"
    low = format_us(low_us)
    return f"that percentile is at least {low}, and the sample is too small for an upper limit"
