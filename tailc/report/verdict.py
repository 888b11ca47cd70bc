"""Verdicts as a person, a program or a CI service wants to read them."""

from __future__ import annotations

from typing import Any

from tailc.specs.slo import Slo
from tailc.verify.verdict import Point, Ruling, Verdict, Verdicts

FORMAT = "tailc-verdict"
VERSION = 1

_HEADS = (
    *("SLO", "rate", "", "estimate", "95 % interval", "noise"),
    *("verdict", "util", "threads", "n"),
)
# Columns of numbers are right-aligned.
_NUMBERS = ("rate", "estimate", "noise", "util", "threads", "n")
_GITHUB = {Ruling.PASS: "notice", Ruling.UNDECIDED: "warning", Ruling.FAIL: "error"}


def as_text(verdicts: Verdicts) -> str:
    """A table of every point, policy above baseline, then what is left to say in sentences."""
    rows = [row for point in verdicts.points for row in _rows(point, verdicts.baseline_name)]
    legend = (
        "Times in ms. noise: half-width from simulated arrivals alone; util: threads that ran over "
        "cores;\nthreads and n: mean threads, and mean requests in the system."
    )
    parts = [_heading(verdicts), _aligned([_HEADS, *rows]), legend]
    parts += ["\n".join(_remarks(verdicts))] if _remarks(verdicts) else []
    return "\n\n".join([*parts, f"verdict: {verdicts.ruling.value}"]) + "\n"


def as_dict(verdicts: Verdicts) -> dict[str, Any]:
    """The verdicts for a program; schemas/report/verdict-1.schema.json describes them."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "verdict": verdicts.ruling.value,
        "policy": {"name": verdicts.policy_name, "generation": verdicts.generation},
        "baseline": verdicts.baseline_name,
        "held_out": {
            "digest": verdicts.held_out_digest,
            "requests": verdicts.held_out_requests,
            "is_compile_trace": verdicts.is_compile_trace,
        },
        "replay": {
            "seed": verdicts.seed,
            "requests": verdicts.requests_per_replay,
            "replicates": verdicts.replicates,
        },
        "points": [
            {
                "slo": _slo_dict(point.slo),
                "rate_mrps": point.rate_mrps,
                "policy": _verdict_dict(point.policy),
                "baseline": _verdict_dict(point.baseline),
            }
            for point in verdicts.points
        ],
    }


def as_github(verdicts: Verdicts) -> str:
    """One workflow command of GitHub Actions for each point of the policy, one a line."""
    return "".join(_github_line(point, verdicts) + "\n" for point in verdicts.points)


def _heading(verdicts: Verdicts) -> str:
    source = "compile-trace" if verdicts.is_compile_trace else "held-out"
    return (
        f"policy `{verdicts.policy_name}`, generation {verdicts.generation}, replayed on "
        f"{verdicts.held_out_requests:,} {source} requests\n"
        f"{verdicts.replicates} bootstrap replicates, {verdicts.requests_per_replay:,} requests a "
        f"replay, seed {verdicts.seed}"
    )


def _rows(point: Point, baseline: str) -> list[tuple[str, ...]]:
    return [
        (_slo_text(point.slo), _rate(point.rate_mrps), "policy", *_cells(point.policy)),
        ("", "", baseline, *_cells(point.baseline)),
    ]


def _cells(verdict: Verdict) -> tuple[str, ...]:
    load = verdict.load
    util = "-" if load.utilization_ppm is None else f"{load.utilization_ppm / 1e4:.1f} %"
    says = verdict.ruling.value + (", overloaded" if load.is_overloaded else "")
    return (
        _ms(verdict.estimate_us),
        _limits(verdict),
        f"+-{_ms(verdict.simulation_us)}",
        says,
        util,
        f"{load.threads_milli / 1e3:.1f}",
        f"{load.in_system_milli / 1e3:.1f}",
    )


def _aligned(rows: list[tuple[str, ...]]) -> str:
    widths = [max(len(row[i]) for row in rows) for i in range(len(_HEADS))]
    lines = []
    for row in rows:
        cells = [
            cell.rjust(width) if head in _NUMBERS else cell.ljust(width)
            for cell, width, head in zip(row, widths, _HEADS, strict=True)
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def _remarks(verdicts: Verdicts) -> list[str]:
    return [
        f"{_slo_text(point.slo)} at {_rate(point.rate_mrps)}: {sentence}"
        for point in verdicts.points
        for sentence in _sentences(point)
    ]


def _sentences(point: Point) -> list[str]:
    verdict = point.policy
    sentences = []
    if verdict.load.is_overloaded:
        sentences.append("the server is overloaded, the estimate grows with the replay's length")
    elif verdict.more_requests is not None:
        sentences.append(f"about {verdict.more_requests:,} more held-out requests would decide")
    elif verdict.ruling is Ruling.UNDECIDED:
        sentences.append("the estimate is on the target, more requests would not decide")
    if verdict.windows_met_ppm is not None:
        share = f"{verdict.windows_met_ppm / 1e4:.1f} %"
        sentences.append(f"{share} of accounting windows meet the target")
    return sentences


def _github_line(point: Point, verdicts: Verdicts) -> str:
    verdict = point.policy
    said = (
        f"policy `{verdicts.policy_name}` at {_rate(point.rate_mrps)}: {_slo_text(point.slo)} ms, "
        f"estimate {_ms(verdict.estimate_us)} ms, 95 % interval {_limits(verdict)} ms, "
        f"{verdicts.baseline_name} {_ms(point.baseline.estimate_us)} ms"
    )
    said = "; ".join([said, *_sentences(point)])
    escaped = said.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return f"::{_GITHUB[verdict.ruling]} title=SLO {verdict.ruling.value}::{escaped}"


def _slo_dict(slo: Slo) -> dict[str, Any]:
    return {
        "percentile_ppm": slo.percentile_ppm,
        "latency_us": slo.latency_us,
        "window_requests": slo.window_requests,
        "window_us": slo.window_us,
        "request_class": slo.request_class,
    }


def _verdict_dict(verdict: Verdict) -> dict[str, Any]:
    load = verdict.load
    return {
        "verdict": verdict.ruling.value,
        "estimate_us": verdict.estimate_us,
        "low_us": verdict.low_us,
        "high_us": verdict.high_us,
        "simulation_us": verdict.simulation_us,
        "more_requests": verdict.more_requests,
        "windows_met_ppm": verdict.windows_met_ppm,
        "is_overloaded": load.is_overloaded,
        "mean_latency_us": load.mean_latency_us,
        "utilization_ppm": load.utilization_ppm,
        "threads_milli": load.threads_milli,
        "in_system_milli": load.in_system_milli,
    }


def _slo_text(slo: Slo) -> str:
    return f"p{slo.percentile_ppm / 1e4:g} <= {_ms(slo.latency_us)}"


def _limits(verdict: Verdict) -> str:
    high = "unknown" if verdict.high_us is None else _ms(verdict.high_us)
    return f"{_ms(verdict.low_us)} .. {high}"


def _ms(time_us: int) -> str:
    return f"{time_us / 1e3:,.1f}"


def _rate(rate_mrps: int) -> str:
    return f"{rate_mrps / 1e3:g}/s"
