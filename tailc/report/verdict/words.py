"""Numbers and sentences that all formats of a verdict share."""

from __future__ import annotations

from tailc.experiment.demand_drift import Distance, Drift
from tailc.experiment.point import Point, Run, SloEstimate, TailChange
from tailc.experiment.ruling import Ruling
from tailc.models.columns import at_least_a_tenth, ms, percent
from tailc.models.server_load import Load
from tailc.specs.slo import Slo
from tailc.units import format_mrps, format_percentile, format_us
from tailc.verify.verdict import Verdicts

POLICY = "policy"

_PPM_PER_PERCENT = 10_000
_US_PER_MS = 1_000


def decimals(verdicts: Verdicts) -> int:
    """Decimals of all times in ms, which give the shortest estimate three digits."""
    runs = [run for point in verdicts.points for run in (point.policy, *point.baselines)]
    estimates_us = [verdict.estimate_us for run in runs for verdict in run.estimates]
    return shortest_decimals(*estimates_us)


def shortest_decimals(*times_us: int) -> int:
    """Number of decimals for times in ms: 1 from 10 ms on, 2 from 1 ms on, and 3 below."""
    shortest_ms = min(times_us) // _US_PER_MS
    return 1 if shortest_ms >= 10 else 2 if shortest_ms else 3


def limits(verdict: SloEstimate, decimals: int) -> str:
    """Format the 95 % interval of a percentile in ms."""
    high = "unknown" if verdict.high_us is None else ms(verdict.high_us, decimals)
    return f"{ms(verdict.low_us, decimals)} .. {high}"


def change(ours: Run, theirs: Run, number: int) -> str:
    """Format the change of a percentile from run `theirs` to run `ours`, such as `-32.0 %`.

    number: number of the SLO, from 0. Empty if a run is overloaded.
    """
    base_us = theirs.estimates[number].estimate_us
    if ours.load.is_overloaded or theirs.load.is_overloaded or not base_us:
        return ""
    tenths = round(1_000 * (ours.estimates[number].estimate_us / base_us - 1))
    return f"{tenths / 10:+.1f} %"


def change_limits(change: TailChange | None) -> str:
    """Format the interval of a change, such as `-33.1 .. -30.8 %`; empty if it is unknown."""
    if change is None:
        return ""
    suffix = "" if change.is_beyond_noise else ", noise"
    return f"{_percents(change.low_ppm)} .. {_percents(change.high_ppm)} %{suffix}"


def _percents(share_ppm: int) -> str:
    return f"{share_ppm / _PPM_PER_PERCENT:+.1f}"


def ruling_text(verdict: SloEstimate, load: Load) -> str:
    """Format the ruling on an SLO in a word or two, such as `pass` or `overloaded`."""
    return verdict.ruling.value + (", overloaded" if load.is_overloaded else "")


def percentile(slo: Slo) -> str:
    """Name of the SLO's percentile, such as `p99`, with its class of requests."""
    name = format_percentile(slo.percentile_ppm)
    return name if slo.request_class is None else f"{name} {slo.request_class}"


def subject(run: Run) -> str:
    """Format the name of a baseline with its chosen setting."""
    return f"{run.subject}, {run.note}" if run.note else run.subject


def heading(verdicts: Verdicts) -> str:
    """Format the heading of a verdict: the requests, replicates and seed of the replays."""
    source = "compile-trace" if verdicts.is_compile_trace else "held-out"
    cut_off_us = verdicts.cut_off_us
    ends = "" if cut_off_us is None else f"\nrequests are cut off after {format_us(cut_off_us)}"
    return (
        f"generation {verdicts.generation}, replayed on {verdicts.held_out_requests:,} {source} "
        f"requests\n{verdicts.replicates} bootstrap replicates, {_length(verdicts)}, "
        f"seed {verdicts.seed}{ends}{_correction(verdicts)}"
    )


def _correction(verdicts: Verdicts) -> str:
    """State the number of comparisons that rulings are corrected for; empty for one."""
    if verdicts.comparisons == 1:
        return ""
    return f"\nrulings are corrected for {verdicts.comparisons:,} services (Bonferroni)"


def energy_sentences(verdicts: Verdicts) -> list[str]:
    """State what energies are relative to; empty if they are not relative."""
    names = sorted({point.reference for point in verdicts.points if point.reference is not None})
    if not names:
        return []
    texts = [f"relative: energy, free cores included, over that of {', '.join(names)}."]
    if verdicts.other_power_ppm:
        share = percent(verdicts.other_power_ppm)
        texts.append(f"server: the same where {share} of its power is not that of cores.")
    return texts


def energy_share(point: Point) -> str:
    """Energy of the policy relative to the reference, such as `41.2 %`; empty without one."""
    ratio_ppm = point.policy.usage.energy_ratio_ppm
    return "" if ratio_ppm is None else percent(ratio_ppm)


def is_rate(point: Point) -> bool:
    """Whether the arrival process has a constant rate and no end."""
    return point.arrivals == format_mrps(point.rate_mrps)


def _length(verdicts: Verdicts) -> str:
    """State the number of requests per replay; bursts, profiles and recordings have their own."""
    are_rates = [is_rate(point) for point in verdicts.points]
    if not any(are_rates):
        return "all requests of the arrivals in each replay"
    suffix = "" if all(are_rates) else " of a constant rate"
    return f"{verdicts.requests_per_replay:,} requests a replay{suffix}"


def remarks(verdicts: Verdicts) -> list[str]:
    """Remarks on the policy's verdicts, each with its SLO and arrivals."""
    return [
        f"{slo} at {point.arrivals}: {sentence}"
        for number, slo in enumerate(verdicts.slos)
        for point in verdicts.points
        for sentence in sentences(verdicts, point, number)
    ]


def sentences(verdicts: Verdicts, point: Point, number: int) -> list[str]:
    """Remarks on one verdict: why it is not final, and what its windows show."""
    verdict = point.policy.estimates[number]
    texts = []
    if point.policy.load.is_overloaded:
        texts.append("the server is overloaded, the estimate grows with the replay's length")
    elif verdict.more_requests is not None:
        texts.append(f"about {verdict.more_requests:,} more held-out requests would decide")
    elif verdict.ruling is Ruling.UNDECIDED:
        texts.append("the estimate is on the target, more requests would not decide")
    if verdict.windows_met_ppm is not None:
        share = percent(verdict.windows_met_ppm)
        texts.append(f"{share} of accounting windows meet the target")
    cut_ppm = point.policy.load.cut_ppm
    if verdicts.cut_off_us is not None and cut_ppm > 0:
        share, after = at_least_a_tenth(cut_ppm), format_us(verdicts.cut_off_us)
        texts.append(f"{share} of requests were cut off after {after}")
    return [*texts, *point.policy.usage.remarks]


def reason(verdicts: Verdicts) -> str:
    """Explain the ruling: first SLO and rate with it, and the number of others."""
    if verdicts.ruling is Ruling.PASS:
        return "At every rate, the 95 % interval of every SLO is within its limit."
    (slo, point, estimate), *others = [
        (slo, point, estimate)
        for point in verdicts.points
        for slo, estimate in zip(verdicts.slos, point.policy.estimates, strict=True)
        if estimate.ruling is verdicts.ruling
    ]
    if point.policy.load.is_overloaded:
        why = "the server is overloaded"
    else:
        high = "unknown" if estimate.high_us is None else format_us(estimate.high_us)
        interval = f"{format_us(estimate.low_us)} to {high}"
        why = f"the estimate is {format_us(estimate.estimate_us)} (95 % interval {interval})"
    more = f" {len(others)} more have the same verdict." if others else ""
    return f"{slo} at {point.arrivals}: {why}.{more}"


def drift_sentences(verdicts: Verdicts) -> list[str]:
    """Format the drift of demand since the compile; empty for the design trace itself."""
    if verdicts.is_compile_trace:
        return []
    return sentences_of_drift(verdicts.drift)


def sentences_of_drift(drift: Drift | None) -> list[str]:
    """Format the drift of demand, as far as the policy's record of its design demand allows."""
    if drift is None:
        return ["drift of demand: unknown, because the policy has no summary of its design demand"]
    flag = "flagged" if drift.is_flagged else "not flagged"
    digits = shortest_decimals(drift.compiled_mean_us, drift.held_out_mean_us)
    means = f"{ms(drift.compiled_mean_us, digits)} -> {ms(drift.held_out_mean_us, digits)} ms"
    return [
        f"drift of demand since the compile: {flag}",
        f"mean {means}",
        f"Kolmogorov-Smirnov distance {_distance(drift.ks_ppm, _PPM_PER_PERCENT, 1, '%')}",
        f"Wasserstein distance {_distance(drift.wasserstein_us, _US_PER_MS, digits, 'ms')}",
    ]


def _distance(distance: Distance, steps: int, digits: int, unit: str) -> str:
    estimate, low, high = (
        f"{number / steps:,.{digits}f}"
        for number in (distance.estimate, distance.low, distance.high)
    )
    return f"{estimate} {unit}, 95 % interval {low} .. {high} {unit}"
