"""Text for the numbers and remarks of a plan's verdict."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from tailc.experiment.ruling import Ruling
from tailc.experiment.window_means import FEWEST_WINDOWS, WindowMean
from tailc.models.datacentre.quantities import JobQuantity
from tailc.report.plan import length_text
from tailc.traces.zones import utc_text
from tailc.units import format_ppm, plural
from tailc.verify.plan.judge import JudgedPlan
from tailc.verify.plan.verdict import PlanVerdict

HEADS = {
    JobQuantity.PROFIT: "profit $",
    JobQuantity.COST: "cost $",
    JobQuantity.BROWN: "brown kWh",
    JobQuantity.GREEN: "green kWh",
    JobQuantity.SPILLED: "spilled kWh",
    JobQuantity.GIVEN: "battery kWh",
    JobQuantity.LOST: "lost kWh",
    JobQuantity.CO2: "CO2 kg",
    JobQuantity.ADMITTED: "admitted %",
    JobQuantity.DONE: "done %",
    JobQuantity.VIOLATIONS: "violations %",
    JobQuantity.LATE: "late %",
    JobQuantity.RUN: "run h",
    JobQuantity.RELATIVE: "relative %",
    JobQuantity.SERVERS: "servers",
    JobQuantity.VMS: "machines",
}
"""Column head of each quantity, with its unit."""

_PERCENT = {
    JobQuantity.ADMITTED,
    JobQuantity.DONE,
    JobQuantity.VIOLATIONS,
    JobQuantity.LATE,
    JobQuantity.RELATIVE,
}
_DIGITS = 4
_MOST_DECIMALS = 4
_UNKNOWN = "unknown"


def printed_quantities(
    every: Sequence[Mapping[JobQuantity, WindowMean]],
) -> tuple[JobQuantity, ...]:
    """The quantities to print: battery quantities only if a battery is used."""
    return tuple(
        each
        for each in every[0]
        if each not in (JobQuantity.GIVEN, JobQuantity.LOST)
        or any(one[each].value for one in every)
    )


def figure(quantity: JobQuantity, value: float, *, is_signed: bool = False) -> str:
    """Format a mean: percent with one decimal, others with four digits; rounded zeros as `0`.

    is_signed: with `+` for positive values.
    """
    if quantity in _PERCENT:
        value, decimals = 100 * value, 1
    else:
        size = math.floor(math.log10(abs(value))) if value else 0
        decimals = min(max(_DIGITS - 1 - size, 0), _MOST_DECIMALS)
    value = round(value, decimals)
    return f"{value:{'+' if is_signed else ''},.{decimals}f}" if value else "0"


def limits(quantity: JobQuantity, verdict: WindowMean, *, is_signed: bool = False) -> str:
    """Format the interval of a mean, such as `2.9 .. 3.6`, or `unknown`.

    is_signed: with `+` for positive values.
    """
    if verdict.low is None or verdict.high is None:
        return _UNKNOWN
    low, high = (figure(quantity, one, is_signed=is_signed) for one in (verdict.low, verdict.high))
    return f"{low} .. {high}"


def better(quantity: JobQuantity, change: WindowMean) -> str:
    """Format whether a change is better or worse; `no change shown` if its interval includes 0.

    Empty for quantities where neither direction is better.
    """
    if not quantity.better:
        return ""
    if change.low is None or change.high is None or change.low <= 0 <= change.high:
        return "no change shown"
    return "better" if (change.low > 0) == (quantity.better > 0) else "worse"


def heading(judged_plan: JudgedPlan) -> str:
    """Format the heading of a plan's verdict: which days were replayed, and how."""
    verdict, spans = judged_plan.verdict, judged_plan.verdict.spans
    return (
        f"generation {judged_plan.generation}, {plural(spans.windows, 'window')} of "
        f"{length_text(spans.epochs * spans.epoch_s)} from {utc_text(spans.from_unix_s)} to "
        f"{utc_text(spans.until_unix_s)}, {verdict.jobs:,} jobs"
    )


def promise(verdict: PlanVerdict) -> str:
    """Format the promised limit on broken promises, and the measured share."""
    broken = verdict.broken_share
    value = figure(verdict.judged, broken.value)
    sentences = (
        f"at most {format_ppm(verdict.promised_ppm)} of the {verdict.words.broken}; {value} % did"
    )
    if broken.low is None:
        return f"{sentences}, 95 % interval unknown"
    return f"{sentences}, 95 % interval {limits(verdict.judged, broken)} %"


def remarks(judged_plan: JudgedPlan) -> list[str]:
    """List sentences about what the verdict on a plan does not cover."""
    verdict, sentences = judged_plan.verdict, []
    if verdict.failures_ppm:
        sentences.append(
            f"{format_ppm(verdict.failures_ppm)} of the servers with a job failed in an hour"
        )
    if judged_plan.left_out:
        windows = plural(judged_plan.left_out, "window")
        sentences.append(f"{windows} left out, without jobs or with energy that is not known")
    if judged_plan.own_windows:
        windows = plural(judged_plan.own_windows, "window")
        sentences.append(f"{windows} of the days that the policy was compiled from")
    if verdict.spans.windows < FEWEST_WINDOWS:
        sentences.append(f"an interval needs {FEWEST_WINDOWS} windows at least")
    if verdict.more_windows is not None:
        sentences.append(f"about {plural(verdict.more_windows, 'more window')} would decide")
    elif verdict.ruling is Ruling.UNDECIDED and verdict.spans.windows >= FEWEST_WINDOWS:
        if verdict.broken_share.low is None:
            sentences.append("there were no jobs with an SLO")
        elif not verdict.promised_ppm:
            sentences.append("no number of windows shows that no promise is ever broken")
    return sentences


def verdict_sentence(judged_plan: JudgedPlan) -> str:
    """Format the verdict on a plan as a sentence."""
    return "; ".join([promise(judged_plan.verdict), *remarks(judged_plan)])
