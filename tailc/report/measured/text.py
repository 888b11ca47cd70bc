"""Verdicts on measured latencies as text, as Markdown and for CI services."""

from __future__ import annotations

from collections.abc import Iterator

from tailc.models.columns import UsageColumn, column, ms
from tailc.report.ci_verdict import CiVerdict
from tailc.report.table import columns_aligned, columns_markdown
from tailc.report.verdict.words import drift_sentences, shortest_decimals
from tailc.report.verdict_layout import verdict_markdown, verdict_text
from tailc.units import format_mrps, format_us
from tailc.verify.measured.arrivals import ArrivalComparison
from tailc.verify.measured.execution import ExecutionComparison
from tailc.verify.measured.verdict import (
    Agreement,
    MeasuredSlo,
    MeasuredVerdicts,
    ModelPart,
    TailLimits,
)

_PPM_PER_PERCENT = 10_000
_LEGEND = "Times in ms. predicted: by the replay; prediction: whether both agree."
_UNKNOWN_PART = (
    "latencies alone do not show which part of the model differs: give the demand log of a "
    "scheduler, with times, as `--trace` and as `--measured`"
)
_OTHER_PART = (
    "the arrivals are as in the replay; a demand log with the times of requests, as `--trace` and "
    "as `--measured`, also shows speed-ups, second threads and ticks"
)
_CHANCE = (
    "arrivals and thread times are as in the replay: the latencies of a busy server depend on each "
    "other, so measure for longer"
)
_SAMPLE = (
    "the log is a sample of the requests, so their arrivals and their load are unknown: log every "
    "request (N is 1)"
)
_DEMAND = (
    "demand: that of the trace differs from that of the compile, and the replay has that of the "
    "trace; compile again"
)


def as_text(verdicts: MeasuredVerdicts) -> str:
    """Format a row for each SLO with the measurement and the prediction, and remarks."""
    drift = "\n".join(drift_sentences(verdicts.replay))
    body = [columns_aligned(_columns(verdicts)), _LEGEND, drift]
    name = verdicts.replay.policy_name
    return verdict_text(name, _heading(verdicts), body, _remarks(verdicts), verdicts.ruling)


def as_markdown(verdicts: MeasuredVerdicts) -> str:
    """Format verdicts on measured latencies as Markdown for a comment."""
    return verdict_markdown(
        verdicts.replay.policy_name,
        verdicts.ruling,
        _heading(verdicts),
        [columns_markdown(_columns(verdicts)).rstrip()],
        _remarks(verdicts),
        "drift of demand",
        ["; ".join(drift_sentences(verdicts.replay))],
    )


def ci_verdicts(verdicts: MeasuredVerdicts) -> tuple[CiVerdict, ...]:
    """Build a verdict for CI services for each SLO, from measured latencies."""
    arrivals = verdicts.replay.points[0].arrivals
    digits = _decimals(verdicts)
    return tuple(
        CiVerdict(
            policy_name=verdicts.replay.policy_name,
            ruling=each.ruling,
            requirement="measured SLO",
            place=f" at {arrivals}",
            case=f"{each.slo} measured at {arrivals}",
            sentence=f"{each.slo}, measured {_with_limits(each.measured, digits)}, predicted "
            f"{_with_limits(each.predicted, digits)}: {_agreement(each)}",
        )
        for each in verdicts.slos
    )


def _heading(verdicts: MeasuredVerdicts) -> str:
    replay = verdicts.replay
    source = "compile-trace" if replay.is_compile_trace else "held-out"
    return (
        f"generation {replay.generation}, {verdicts.requests:,} measured latencies, compared with "
        f"a replay of {replay.held_out_requests:,} {source} requests at "
        f"{replay.points[0].arrivals}, seed {replay.seed}"
    )


def _columns(verdicts: MeasuredVerdicts) -> tuple[UsageColumn, ...]:
    digits, rows = _decimals(verdicts), verdicts.slos
    return (
        column("SLO", [str(each.slo) for each in rows], is_number=False),
        column("measured", [ms(each.measured.estimate_us, digits) for each in rows]),
        column("95 % interval", [_limits(each.measured, digits) for each in rows], is_number=False),
        column("verdict", [each.ruling.value for each in rows], is_number=False),
        column("predicted", [ms(each.predicted.estimate_us, digits) for each in rows]),
        column(
            "95 % interval", [_limits(each.predicted, digits) for each in rows], is_number=False
        ),
        column("prediction", [_agreement(each) for each in rows], is_number=False),
    )


def _decimals(verdicts: MeasuredVerdicts) -> int:
    tails = [tail for each in verdicts.slos for tail in (each.measured, each.predicted)]
    return shortest_decimals(*(tail.estimate_us for tail in tails))


def _limits(tail: TailLimits, decimals: int) -> str:
    high = "unknown" if tail.high_us is None else ms(tail.high_us, decimals)
    return f"{ms(tail.low_us, decimals)} .. {high}"


def _with_limits(tail: TailLimits, decimals: int) -> str:
    return f"{ms(tail.estimate_us, decimals)} ms ({_limits(tail, decimals)} ms)"


def _agreement(each: MeasuredSlo) -> str:
    if each.is_overloaded:
        return "undecided, overloaded"
    change = each.difference_ppm
    shown = "" if change is None else f", {change / _PPM_PER_PERCENT:+.1f} %"
    return f"{each.agreement.value}{shown}"


def _remarks(verdicts: MeasuredVerdicts) -> list[str]:
    remarks = [
        f"{each.slo}: too few latencies for an upper limit, measure more requests"
        for each in verdicts.slos
        if each.measured.high_us is None
    ]
    remarks += [
        f"{each.slo}: the server is overloaded in the replay, so it predicts no latency"
        for each in verdicts.slos[:1]
        if each.is_overloaded
    ]
    if ModelPart.DEMAND in verdicts.deviating:
        remarks.append(_DEMAND)
    if verdicts.arrivals is not None:
        remarks += _arrivals_remarks(verdicts.arrivals)
    executed: list[str] = []
    if verdicts.execution is not None:
        executed += _execution_remarks(verdicts.execution, verdicts.deviating)
    remarks += executed
    is_explained = bool(executed) or ModelPart.ARRIVALS in verdicts.deviating
    if not is_explained and any(each.agreement is Agreement.DIFFER for each in verdicts.slos):
        remarks.append(_unexplained(verdicts))
    return remarks


def _unexplained(verdicts: MeasuredVerdicts) -> str:
    if verdicts.execution is not None:
        return _SAMPLE if verdicts.execution.is_sample else _CHANCE
    return _UNKNOWN_PART if verdicts.arrivals is None else _OTHER_PART


def _execution_remarks(
    execution: ExecutionComparison, deviating: tuple[ModelPart, ...]
) -> Iterator[str]:
    """State which part of the execution differs from the model, and what to do."""
    if ModelPart.TICKS in deviating:
        yield (
            f"ticks: during {execution.late_share:.0%} of the run time of requests a tick was due, "
            "so climbs came late; give the scheduler's timers a processor, or a longer quantum"
        )
    if ModelPart.SECOND_THREADS in deviating:
        yield (
            f"second threads: threads beyond the first worked for {execution.worked_share:.0%} of "
            "the time for which rungs granted them; start more threads, divide requests into "
            "more parts, or free processors from other programs"
        )
    times_us = round(execution.thread_time_us), round(execution.predicted_thread_time_us)
    measured, predicted = map(format_us, times_us)
    means = (
        f"a request had {measured} of thread time on average, and {predicted} in the replay of "
        "the same demand"
    )
    if ModelPart.SPEEDUPS in deviating:
        yield f"speed-ups: {means}; measure the speed-ups again, under load"
    if execution.deviates and execution.is_sample and ModelPart.TICKS not in deviating:
        yield f"{means}; {_SAMPLE}"


def _arrivals_remarks(arrivals: ArrivalComparison) -> Iterator[str]:
    """State how the measured arrivals differ from those of the replay."""
    if arrivals.has_other_rate:
        rate, predicted = map(format_mrps, (arrivals.rate_mrps, arrivals.predicted_rate_mrps))
        yield f"arrivals: {rate} were measured, {predicted} were replayed"
    if arrivals.has_other_index:
        yield (
            f"arrivals: in windows of {format_us(arrivals.window_us)} their index of dispersion is "
            f"{arrivals.index:.1f}, and {arrivals.predicted_index:.1f} in the replay"
        )
