"""What is predicted and what is measured: p50, p99, mean and utilization, with intervals.

A latency in the server lasts from when a request is handed to the scheduler to its answer's being
there: it waits and runs, and that is what a policy decides. The client's holds HTTP and the load
generator too, from when the request was due.
"""

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
SAMPLED = ("now_ns", "request_cpu_ns", "cpu_ns")
TAIL = ("estimate_us", "low_us", "high_us")
HEADS = ("rate", "policy", "", "p50", "p99", "mean", "utilization", "error at p99")

PREDICTED, REPLAYED, MEASURED, CLIENT = "predicted", "replayed", "measured", "at the client"
# Replayed without serial parts; records before these parts do not have it.
WHOLE = "replayed, no serial parts"
COMPARED = (PREDICTED, REPLAYED, WHOLE)


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


@dataclass(frozen=True)
class Samples:
    """The CPU time [s] that requests, and all of the server, had used by some times [s]."""

    at_s: np.ndarray
    requests_s: np.ndarray
    all_s: np.ndarray


# By what it is: predicted, replayed, measured in the server, at the client.
Runs = dict[tuple[float, str], dict[str, Run]]


def predicted(verdict: dict, name: str) -> dict[tuple[float, str], Run]:
    """By rate [1/s] and policy, from what `tailc verify --output-format json` prints of `name`."""
    percentiles = [slo["percentile_ppm"] for slo in verdict["slos"]]
    found: dict[tuple[float, str], Run] = {}
    for point in verdict["points"]:
        baselines = ((result["subject"], result) for result in point["baselines"])
        for subject, result in ((name, point["policy"]), *baselines):
            tails = dict(zip(percentiles, result["verdicts"], strict=True))
            found[point["rate_mrps"] / 1e3, subject] = Run(
                _tail(tails[500_000]),
                _tail(tails[990_000]),
                Figure(result["load"]["mean_latency_us"] / 1e3),
                Figure(result["load"]["utilization_ppm"] / 1e6),
            )
    return found


def _tail(result: dict) -> Figure:
    # An overloaded server, or too few requests, has no such percentile.
    ms = [None if result[name] is None else result[name] / 1e3 for name in TAIL]
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


def samples(path: Path) -> Samples:
    """What the server said of itself in the course of a run."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    columns = (np.array([line[name] for line in lines]) / 1e9 for name in SAMPLED)
    return Samples(*columns)


def in_server(rows: Sequence[dict[str, str]], samples: Samples, cores: int) -> Run:
    """What was measured of what the policy decides; utilization is that by requests."""
    latency_ms = [float(row["wait_ms"]) + float(row["run_ms"]) for row in rows]
    return _measured(rows, latency_ms, samples.at_s, samples.requests_s, cores)


def at_client(rows: Sequence[dict[str, str]], samples: Samples, cores: int) -> Run:
    """What was measured with all that is around it; utilization is that by the whole server."""
    latency_ms = [float(row["latency_us"]) / 1e3 for row in rows]
    return _measured(rows, latency_ms, samples.at_s, samples.all_s, cores)


def _measured(rows, latencies_ms, at_s: np.ndarray, cpu_s: np.ndarray, cores: int) -> Run:
    latency_ms = np.array(latencies_ms)
    due_s = np.array([float(row["due_us"]) / 1e6 for row in rows])
    blocks = [latency_ms[due_s // BLOCK_S == at] for at in range(int(due_s.max() / BLOCK_S) + 1)]
    rng = np.random.default_rng(1)
    drawn = [_redrawn(blocks, rng) for _ in range(REPLICATES)]
    return Run(
        _figure(latency_ms, drawn, lambda of: quantile(of, 0.5)),
        _figure(latency_ms, drawn, lambda of: quantile(of, 0.99)),
        _figure(latency_ms, drawn, lambda of: float(of.mean())),
        _utilization(np.diff(at_s), np.diff(cpu_s), cores, rng),
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


def _utilization(span_s: np.ndarray, used_s: np.ndarray, cores: int, rng) -> Figure:
    # The last sample may come right after the one before: so blocks count by their length.
    chosen = rng.integers(0, len(span_s), (REPLICATES, len(span_s)))
    drawn = used_s[chosen].sum(axis=1) / span_s[chosen].sum(axis=1) / cores
    low, high = np.quantile(drawn, (LOW, HIGH))
    return Figure(float(used_s.sum() / span_s.sum() / cores), float(low), float(high))


def table(runs: Runs) -> str:
    """In Markdown, a row for each of predicted, replayed and measured, and how far these differ."""
    lines = [f"| {' | '.join(HEADS)} |", "|" + "---|" * 3 + "---:|" * 5]
    for (rate, policy), by_source in runs.items():
        for place, (which, run) in enumerate(by_source.items()):
            head = ("", "") if place else (f"{rate:g}/s", policy)
            off = _percent(p99_off(run, by_source)) if which in COMPARED else ""
            lines.append(f"| {' | '.join((*head, which, *cells(run), off))} |")
    lines.append("")
    for which in COMPARED:
        offs = [
            abs(p99_off(by_source[which], by_source))
            for by_source in runs.values()
            if which in by_source
        ]
        if offs:
            usual, worst = (f"{100 * off:.0f} %" for off in (np.median(offs), np.max(offs)))
            lines.append(f"p99 {which}: off by {usual} in the median, {worst} at most.")
    return "\n".join(lines)


def p99_off(run: Run, by_source: dict[str, Run]) -> float:
    """How far its p99 is from the measured one, as a share of that; positive: it is longer."""
    return run.p99_ms.value / by_source[MEASURED].p99_ms.value - 1


def _percent(share: float) -> str:
    return f"{100 * share:+.0f} %"


def cells(run: Run) -> tuple[str, ...]:
    """The figures of a run as the table has them."""
    times = (_cell(one, 1, 1) for one in (run.p50_ms, run.p99_ms, run.mean_ms))
    return (*times, _cell(run.utilization, 100, 0) + " %")


def _cell(figure: Figure, scale: float, digits: int) -> str:
    value = f"{scale * figure.value:.{digits}f}"
    if figure.low is None or figure.high is None:
        return value
    return f"{value} ({scale * figure.low:.{digits}f} .. {scale * figure.high:.{digits}f})"


def as_json(runs: Runs, conditions: dict[str, object]) -> str:
    """The same for programs, with when and on what it was measured."""
    rows = [
        {
            "rate_per_s": rate,
            "policy": policy,
            **{which: asdict(run) for which, run in of.items()},
        }
        for (rate, policy), of in runs.items()
    ]
    return json.dumps({**conditions, "runs": rows}, indent=2) + "\n"


def from_json(text: str) -> Runs:
    """What `as_json` wrote."""
    return {
        (row["rate_per_s"], row["policy"]): {
            which: Run(**{name: Figure(**figure) for name, figure in row[which].items()})
            for which in (PREDICTED, REPLAYED, WHOLE, MEASURED, CLIENT)
            if which in row
        }
        for row in json.loads(text)["runs"]
    }
