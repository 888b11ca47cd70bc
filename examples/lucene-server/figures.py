"""What is predicted and what is measured: p50, p99, mean and utilization, with intervals."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

# Intervals of what was measured: means over blocks of time, drawn with replacement.
BLOCK_S = 1.0
REPLICATES = 1_000
LOW, HIGH = 0.025, 0.975
TAIL = ("estimate_us", "low_us", "high_us")
HEADS = ("rate", "policy", "", "p50", "p99", "mean", "utilization")


@dataclass(frozen=True)
class Figure:
    """A value with its 95 % interval, where there is one."""

    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Run:
    """How one policy does at one rate; latencies in ms, utilization a share of all cores."""

    p50_ms: Figure
    p99_ms: Figure
    mean_ms: Figure
    utilization: Figure


def predicted(verdict: dict) -> dict[tuple[float, str], Run]:
    """By rate [1/s] and policy, from what `tailc verify --output-format json` prints."""
    asked = [slo["percentile_ppm"] for slo in verdict["slos"]]
    found: dict[tuple[float, str], Run] = {}
    for point in verdict["points"]:
        baselines = ((told["subject"], told) for told in point["baselines"])
        for name, told in (("FM", point["policy"]), *baselines):
            tails = dict(zip(asked, told["verdicts"], strict=True))
            found[point["rate_mrps"] / 1e3, name] = Run(
                _tail(tails[500_000]),
                _tail(tails[990_000]),
                Figure(told["load"]["mean_latency_us"] / 1e3),
                Figure(told["load"]["utilization_ppm"] / 1e6),
            )
    return found


def _tail(told: dict) -> Figure:
    # An overloaded server, or too few requests, has no such percentile.
    ms = [None if told[name] is None else told[name] / 1e3 for name in TAIL]
    return Figure(float("nan") if ms[0] is None else ms[0], *ms[1:])


def sent(path: Path) -> list[dict[str, str]]:
    """The rows of a run of the load generator; SystemExit where a request was not answered."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    failed = [row for row in rows if row["status"] != "200"]
    if failed:
        raise SystemExit(
            f"{path}: {len(failed)} of {len(rows)} requests have no answer; "
            f"the first has status `{failed[0]['status']}`"
        )
    return rows


def cpu_samples(path: Path) -> list[tuple[float, float]]:
    """Times [s], and the CPU time [s] that the server had used by then."""
    lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return [(line["now_ns"] / 1e9, line["cpu_ns"] / 1e9) for line in lines]


def measured(
    rows: Sequence[dict[str, str]], samples: Sequence[tuple[float, float]], cores: int
) -> Run:
    """What was measured of a run: its requests, and what CPU time the server had used when."""
    latency_ms = np.array([float(row["latency_us"]) / 1e3 for row in rows])
    due_s = np.array([float(row["due_us"]) / 1e6 for row in rows])
    blocks = [latency_ms[due_s // BLOCK_S == at] for at in range(int(due_s.max() / BLOCK_S) + 1)]
    rng = np.random.default_rng(1)
    drawn = [_redrawn(blocks, rng) for _ in range(REPLICATES)]
    return Run(
        _figure(latency_ms, drawn, lambda of: quantile(of, 0.5)),
        _figure(latency_ms, drawn, lambda of: quantile(of, 0.99)),
        _figure(latency_ms, drawn, lambda of: float(of.mean())),
        _utilization(samples, cores, rng),
    )


def quantile(values: np.ndarray, at: float) -> float:
    """The least value that so large a part is not above."""
    return float(np.quantile(values, at, method="inverted_cdf"))


def _redrawn(blocks, rng):
    # Neighbours share the load that they meet, so they are drawn together.
    chosen = np.concatenate([blocks[at] for at in rng.integers(0, len(blocks), len(blocks))])
    return chosen if len(chosen) else np.concatenate(blocks)


def _figure(values, drawn, statistic) -> Figure:
    low, high = np.quantile([statistic(one) for one in drawn], (LOW, HIGH))
    return Figure(statistic(values), float(low), float(high))


def _utilization(samples: Sequence[tuple[float, float]], cores: int, rng) -> Figure:
    at_s, cpu_s = (np.array(column) for column in zip(*samples, strict=True))
    span_s, used_s = np.diff(at_s), np.diff(cpu_s)
    # The last sample may come right after the one before: so blocks count by their length.
    chosen = rng.integers(0, len(span_s), (REPLICATES, len(span_s)))
    drawn = used_s[chosen].sum(axis=1) / span_s[chosen].sum(axis=1) / cores
    low, high = np.quantile(drawn, (LOW, HIGH))
    return Figure(float(used_s.sum() / span_s.sum() / cores), float(low), float(high))


def table(runs: dict[tuple[float, str], dict[str, Run]]) -> str:
    """In Markdown, a row for each of predicted, replayed and measured."""
    lines = [f"| {' | '.join(HEADS)} |", "|" + "---|" * 3 + "---:|" * 4]
    for (rate, policy), told in runs.items():
        for place, (which, run) in enumerate(told.items()):
            head = ("", "") if place else (f"{rate:g}/s", policy)
            lines.append(f"| {' | '.join((*head, which, *cells(run)))} |")
    return "\n".join(lines)


def cells(run: Run) -> tuple[str, ...]:
    """The figures of a run as the table has them."""
    times = (_cell(one, 1, 1) for one in (run.p50_ms, run.p99_ms, run.mean_ms))
    return (*times, _cell(run.utilization, 100, 0) + " %")


def _cell(figure: Figure, scale: float, digits: int) -> str:
    value = f"{scale * figure.value:.{digits}f}"
    if figure.low is None or figure.high is None:
        return value
    return f"{value} ({scale * figure.low:.{digits}f} .. {scale * figure.high:.{digits}f})"


def as_json(runs: dict[tuple[float, str], dict[str, Run]]) -> str:
    """The same for programs."""
    told = [
        {
            "rate_per_s": rate,
            "policy": policy,
            **{which: asdict(run) for which, run in of.items()},
        }
        for (rate, policy), of in runs.items()
    ]
    return json.dumps(told, indent=2) + "\n"
