"""Reports of estimated percentiles of a policy, compared with the best setting by hand."""

from __future__ import annotations

from collections.abc import Iterable

from tailc.artifact.envelope import Policy
from tailc.artifact.estimates import ByHand, Estimates, RateEstimate, Sample, Standing
from tailc.report.judging import OVERLOADED
from tailc.report.table import align_columns
from tailc.specs.slo import Metric, Slo
from tailc.units import digits_text, format_percentile, format_us, plural, printable

HEADS = (
    *("rate", "percentile", "95 % interval", "limit", "result"),
    *("best setting by hand", "change"),
)
SAMPLES = {
    Sample.KEPT_BACK: "requests that the search did not use",
    Sample.IN_SAMPLE: "requests that the policy was compiled from",
}
# What the cost in the table is, if it is not that of a request.
_OF_BATCH = "; cost: energy of the server for a unit of batch work"
_US_PER_MS = 1_000
_PPM_PER_PERCENT = 10_000


def estimates_text(policy: Policy) -> str:
    """Format the estimates as a sentence and a table; empty if the policy has none."""
    estimates = policy.evidence.estimates
    if estimates is None:
        return ""
    table = align_columns([HEADS, *estimates_cells(policy, estimates.rows)])
    of_batch = _OF_BATCH if policy.batch is not None else ""
    return f"{_sample_text(estimates)}{of_batch}\n{table}"


def _sample_text(estimates: Estimates) -> str:
    """State which requests were replayed, and that the result is not a verdict."""
    replays = plural(estimates.repeats, "replay")
    return (
        f"estimates, no verdict, on {estimates.requests:,} {SAMPLES[estimates.sample]}: {replays} "
        f"of {estimates.requests_per_replay:,} requests at each rate"
    )


def estimates_cells(policy: Policy, rows: Iterable[RateEstimate]) -> list[tuple[str, ...]]:
    """Build the cells of the table of estimates, one row per estimate, below `HEADS`."""
    return [_cells(policy.slos[row.slo], row) for row in rows]


def estimates_result(policy: Policy) -> dict[str, object]:
    """Build the JSON member `estimates`; empty if the policy has no estimates."""
    estimates = policy.evidence.estimates
    if estimates is None:
        return {}
    members = {
        "sample": estimates.sample.value,
        "requests": estimates.requests,
        "repeats": estimates.repeats,
        "replicates": estimates.replicates,
        "requests_per_replay": estimates.requests_per_replay,
        "rows": [_row(policy.slos[row.slo], row) for row in estimates.rows],
    }
    return {"estimates": members}


def is_overloaded(row: RateEstimate) -> bool:
    """Whether the server is overloaded at this rate, so that no percentile exists."""
    return row.standing is Standing.OVERLOADED


def _cells(slo: Slo, row: RateEstimate) -> tuple[str, ...]:
    head, limit, result = printable(row.arrivals), format_us(slo.latency_us), row.standing.value
    by_hand = _by_hand_cells(row)
    if is_overloaded(row):
        return head, percentile_name(slo), "", limit, result, *by_hand
    tail = f"{percentile_name(slo)} {_time(row.tail_us)}"
    high = "unknown" if row.high_us is None else _time(row.high_us)
    return head, tail, f"{_time(row.low_us)} to {high}", limit, result, *by_hand


def _by_hand_cells(row: RateEstimate) -> tuple[str, str]:
    setting = row.by_hand
    if setting is None:
        return "none", ""
    name = printable(setting.name)
    if setting.is_overloaded:
        return f"{name}, {OVERLOADED}", ""
    return f"{name}, {_time(setting.tail_us)}", "" if is_overloaded(row) else _change(setting)


def _change(setting: ByHand) -> str:
    change = _percent(setting.change_ppm)
    cost_ppm = setting.cost_change_ppm
    return change if cost_ppm is None else f"{change}, cost {_percent(cost_ppm)}"


def _row(slo: Slo, row: RateEstimate) -> dict[str, object]:
    members: dict[str, object] = {
        "slo": str(slo),
        "arrivals": row.arrivals,
        "rate_mrps": row.rate_mrps,
        "limit_us": slo.latency_us,
        "result": row.standing.value,
    }
    if not is_overloaded(row):
        members |= {"estimate_us": row.tail_us, "low_us": row.low_us, "high_us": row.high_us}
    if row.by_hand is not None:
        members["by_hand"] = _by_hand(row.by_hand, is_compared=not is_overloaded(row))
    return members


def _by_hand(setting: ByHand, *, is_compared: bool) -> dict[str, object]:
    members: dict[str, object] = {"name": setting.name, "overloaded": bool(setting.is_overloaded)}
    if setting.is_overloaded:
        return members
    members["estimate_us"] = setting.tail_us
    if is_compared:
        members["change_ppm"] = setting.change_ppm
        members["cost_change_ppm"] = setting.cost_change_ppm
    return members


def percentile_name(slo: Slo) -> str:
    """Name of the percentile that an SLO limits, such as `p99` or `ttft p99`.

    It includes the class of requests if the SLO is of one class.
    """
    name = format_percentile(slo.percentile_ppm)
    if slo.metric is not Metric.LATENCY:
        name = f"{slo.metric.value} {name}"
    return name if slo.request_class is None else f"{name} {printable(slo.request_class)}"


def _time(time_us: int) -> str:
    return f"{digits_text(time_us / _US_PER_MS, 4)} ms"


def _percent(change_ppm: int) -> str:
    # Adding zero turns -0.0 into 0.0.
    return f"{round(change_ppm / _PPM_PER_PERCENT, 1) + 0.0:+.1f} %"
