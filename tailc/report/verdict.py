"""Verdicts as a person, a program or a CI service wants to read them."""

from __future__ import annotations

from typing import Any

from tailc.report.findings import escaped
from tailc.report.table import aligned
from tailc.specs.slo import Slo
from tailc.units import format_mrps, printable
from tailc.verify.verdict import Point, Ruling, Verdict, Verdicts

FORMAT = "tailc-verdict"
VERSION = 1

_HEADS = (
    *("SLO", "rate", "", "estimate", "95 % interval", "noise"),
    *("verdict", "mean", "util", "threads", "n"),
)
# Columns of numbers are right-aligned.
_NUMBERS = tuple(
    _HEADS.index(head) for head in ("rate", "estimate", "noise", "mean", "util", "threads", "n")
)
_PPM_PER_PERCENT = 10_000
_US_PER_MS = 1_000
_MILLI = 1_000
_GITHUB = {Ruling.PASS: "notice", Ruling.UNDECIDED: "warning", Ruling.FAIL: "error"}


def as_text(verdicts: Verdicts) -> str:
    """A table of every point, policy above baseline, then what is left to say in sentences."""
    rows = [row for point in verdicts.points for row in _rows(point, verdicts.baseline_name)]
    legend = (
        "Times in ms. noise: half-width from simulated arrivals alone; mean: mean latency; util:\n"
        "threads that ran over cores; threads and n: mean threads, and mean requests in the system."
    )
    parts = [_heading(verdicts), aligned([_HEADS, *rows], _NUMBERS), legend]
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
        f"policy `{printable(verdicts.policy_name)}`, generation {verdicts.generation}, "
        f"replayed on {verdicts.held_out_requests:,} {source} requests\n"
        f"{verdicts.replicates} bootstrap replicates, {verdicts.requests_per_replay:,} requests a "
        f"replay, seed {verdicts.seed}"
    )


def _rows(point: Point, baseline: str) -> list[tuple[str, ...]]:
    return [
        (printable(str(point.slo)), format_mrps(point.rate_mrps), "policy", *_cells(point.policy)),
        ("", "", baseline, *_cells(point.baseline)),
    ]


def _cells(verdict: Verdict) -> tuple[str, ...]:
    load = verdict.load
    util = "-" if load.utilization_ppm is None else _percent(load.utilization_ppm)
    says = verdict.ruling.value + (", overloaded" if load.is_overloaded else "")
    return (
        _ms(verdict.estimate_us),
        _limits(verdict),
        f"+-{_ms(verdict.simulation_us)}",
        says,
        _ms(load.mean_latency_us),
        util,
        _count(load.threads_milli),
        _count(load.in_system_milli),
    )


def _remarks(verdicts: Verdicts) -> list[str]:
    return [
        f"{printable(str(point.slo))} at {format_mrps(point.rate_mrps)}: {sentence}"
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
        share = _percent(verdict.windows_met_ppm)
        sentences.append(f"{share} of accounting windows meet the target")
    return sentences


def _github_line(point: Point, verdicts: Verdicts) -> str:
    verdict = point.policy
    said = (
        f"policy `{verdicts.policy_name}` at {format_mrps(point.rate_mrps)}: {point.slo}, "
        f"estimate {_ms(verdict.estimate_us)} ms, 95 % interval {_limits(verdict)} ms, "
        f"{verdicts.baseline_name} {_ms(point.baseline.estimate_us)} ms"
    )
    said = "; ".join([said, *_sentences(point)])
    return f"::{_GITHUB[verdict.ruling]} title=SLO {verdict.ruling.value}::{escaped(said)}"


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


def _limits(verdict: Verdict) -> str:
    high = "unknown" if verdict.high_us is None else _ms(verdict.high_us)
    return f"{_ms(verdict.low_us)} .. {high}"


def _ms(time_us: int) -> str:
    return f"{time_us / _US_PER_MS:,.1f}"


def _percent(share_ppm: int) -> str:
    return f"{share_ppm / _PPM_PER_PERCENT:.1f} %"


def _count(milli: int) -> str:
    return f"{milli / _MILLI:.1f}"
