"""What a schedule has counted, as OpenMetrics text."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator

from tailc_runtime.schedule import Schedule
from tailc_runtime.table import PolicyTable

_NS_PER_S, _S_PER_DAY = 1e9, 86_400


def openmetrics(schedule: Schedule, reload_age_s: float) -> str:
    """Counters and gauges of a schedule and its policy, with the end mark."""
    return "\n".join([*_lines(schedule, reload_age_s), "# EOF", ""])


def _lines(schedule: Schedule, reload_age_s: float) -> Iterator[str]:
    counts, table = schedule.counts, schedule.any_table
    totals = {
        "tailc_requests": counts.arrived,
        "tailc_refused": counts.refused,
        "tailc_degraded": counts.degraded,
        "tailc_starts": counts.started,
        "tailc_waits": counts.waited,
        "tailc_climbs": counts.climbs,
        "tailc_descents": counts.descents,
        "tailc_boosts": counts.boosts,
        "tailc_give_ups": counts.gave_up,
        "tailc_cut_offs": counts.cut_off,
        "tailc_exits": counts.exits,
        "tailc_reloads": counts.reloads,
        "tailc_refused_reloads": table.counters.refused_reloads,
        "tailc_lookups_outside": table.counters.outside,
    }
    for name, value in totals.items():
        yield from _metric(name, "counter", [("_total", value)])
    by_rung = [
        (f'_total{{rung="{_escaped(name)}"}}', n) for name, n in sorted(counts.lookups.items())
    ]
    yield from _metric("tailc_lookups", "counter", by_rung)
    late = [("_count", counts.ticks), ("_sum", counts.late_ns / _NS_PER_S)]
    yield from _metric("tailc_tick_lateness_seconds", "summary", late)
    yield from _metric("tailc_in_system", "gauge", [("", schedule.in_system)])
    yield from _metric("tailc_running", "gauge", [("", schedule.running)])
    yield from _metric("tailc_reload_age_seconds", "gauge", [("", round(reload_age_s, 3))])
    if table.signature_expires_s is not None:
        days_left = (table.signature_expires_s - time.time()) / _S_PER_DAY
        yield from _metric("tailc_signature_days_left", "gauge", [("", round(days_left, 3))])
    yield from _metric("tailc_policy", "info", [(f"_info{{{_labels(table)}}}", 1)])


def _metric(name: str, kind: str, samples: Iterable[tuple[str, float]]) -> Iterator[str]:
    yield f"# TYPE {name} {kind}"
    for suffix, value in samples:
        yield f"{name}{suffix} {value}"


def _labels(table: PolicyTable) -> str:
    labels = {
        "name": table.name,
        "generation": str(table.generation),
        "digest": table.policy_digest,
        "last_refusal": table.counters.last_refusal or "",
    }
    return ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items())


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
