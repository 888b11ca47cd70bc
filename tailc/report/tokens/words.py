"""Text for the numbers and remarks of a verdict on a token-budget table."""

from __future__ import annotations

from collections.abc import Iterator

from tailc.experiment.block_means import MeanError
from tailc.experiment.token_comparison import TokenPoint
from tailc.experiment.token_replays import TailEstimate
from tailc.models.columns import percent
from tailc.report.estimates import percentile_name
from tailc.units import format_mrps, format_us
from tailc.verify.tokens.verdict import TokenVerdicts

_US_PER_MS = 1_000
_PPM_PER_PERCENT = 10_000


def ms(time_us: int) -> str:
    """Format a time in ms, such as `12.5`."""
    return f"{time_us / _US_PER_MS:,.1f}"


def limits(tail: TailEstimate) -> str:
    """Format the interval of a percentile in ms, such as `81.2 .. 84.0`."""
    return f"{ms(tail.low_us)} .. {'unknown' if tail.high_us is None else ms(tail.high_us)}"


def change(change: MeanError) -> str:
    """Format a relative change with its interval, such as `-15.2 % (-17.0 .. -13.1)`."""
    numbers = (change.ppm, change.low_ppm, change.high_ppm)
    middle, low, high = (round(ppm / _PPM_PER_PERCENT, 1) + 0.0 for ppm in numbers)
    return f"{middle:+.1f} % ({low:+.1f} .. {high:+.1f})"


def heading(verdicts: TokenVerdicts) -> str:
    """Format the heading of a verdict on token budgets: what was replayed, and how."""
    return (
        f"generation {verdicts.generation}, {verdicts.held_out_requests:,} held-out requests, "
        f"recorded arrivals at each rate"
    )


def verdict_sentence(verdicts: TokenVerdicts, point: TokenPoint, number: int) -> str:
    """Format the verdict on a token SLO at one rate as a sentence."""
    tail = point.policy.tails[number]
    sentence = f"{verdicts.slos[number]}, {format_us(tail.us)}, 95 % interval {limits(tail)} ms"
    for run in point.baselines:
        sentence += f"; {run.name} {format_us(run.tails[number].us)}"
    return sentence


def bounds(verdicts: TokenVerdicts, point: TokenPoint) -> list[str]:
    """Sentences on the lower bounds of percentiles at a rate, for those SLOs that have one."""
    return [
        f"no schedule has a {percentile_name(slo)} below {ms(bound_us)} ms"
        for slo, bound_us in zip(verdicts.slos, point.bounds_us, strict=True)
        if bound_us is not None
    ]


def remarks(verdicts: TokenVerdicts) -> Iterator[str]:
    """Yield remarks on a verdict about token budgets: about all rates, then about each rate."""
    if verdicts.is_compile_trace:
        yield "replayed on the requests that the policy was compiled from"
    for point in verdicts.points:
        if point.policy.preemptions:
            yield (
                f"at {format_mrps(point.rate_mrps)}, {point.policy.preemptions:,} sequences lost "
                "their cache and were computed again"
            )
        if point.policy.busy_ppm > _FULL_PPM:
            yield (
                f"at {format_mrps(point.rate_mrps)} the engine is busy "
                f"{percent(point.policy.busy_ppm)} of the time, so queues may grow with the length "
                "of the trace"
            )


# Above it an engine has no spare capacity.
_FULL_PPM = 980_000
