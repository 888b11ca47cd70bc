"""How numbers of a plan's verdict, and what follows from them, are said."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from tailc.experiment.ruling import Ruling
from tailc.experiment.window_means import FEWEST_WINDOWS, MeanOf
from tailc.models.datacentre.quantities import Quantity
from tailc.report.plan import length_text
from tailc.traces.zones import utc_text
from tailc.units import counted, format_ppm
from tailc.verify.plan.judge import JudgedPlan
from tailc.verify.plan.verdict import PlanVerdict

HEADS = {
    Quantity.PROFIT: "profit $",
    Quantity.COST: "cost $",
    Quantity.BROWN: "brown kWh",
    Quantity.GREEN: "green kWh",
    Quantity.SPILLED: "spilled kWh",
    Quantity.GIVEN: "battery kWh",
    Quantity.LOST: "lost kWh",
    Quantity.CO2: "CO2 kg",
    Quantity.ADMITTED: "admitted %",
    Quantity.DONE: "done %",
    Quantity.VIOLATIONS: "violations %",
    Quantity.LATE: "late %",
    Quantity.RUN: "run h",
    Quantity.RELATIVE: "relative %",
    Quantity.SERVERS: "servers",
    Quantity.VMS: "machines",
}
"""What stands above each quantity, with its unit."""

_PERCENT = {
    Quantity.ADMITTED,
    Quantity.DONE,
    Quantity.VIOLATIONS,
    Quantity.LATE,
    Quantity.RELATIVE,
}
_DIGITS = 4
_MOST_DECIMALS = 4
_UNKNOWN = "unknown"


def shown(every: Sequence[Mapping[Quantity, MeanOf]]) -> tuple[Quantity, ...]:
    """The quantities of all subjects, without those of a battery where none has one."""
    return tuple(
        each
        for each in every[0]
        if each not in (Quantity.GIVEN, Quantity.LOST) or any(one[each].value for one in every)
    )


def figure(quantity: Quantity, value: float, *, is_signed: bool = False) -> str:
    """Per cent with one decimal, others with four digits; what rounds to nothing is 0."""
    if quantity in _PERCENT:
        value, decimals = 100 * value, 1
    else:
        size = math.floor(math.log10(abs(value))) if value else 0
        decimals = min(max(_DIGITS - 1 - size, 0), _MOST_DECIMALS)
    value = round(value, decimals)
    return f"{value:{'+' if is_signed else ''},.{decimals}f}" if value else "0"


def limits(quantity: Quantity, found: MeanOf, *, is_signed: bool = False) -> str:
    """Such as `2.9 .. 3.6`, or that the interval is not known."""
    if found.low is None or found.high is None:
        return _UNKNOWN
    low, high = (figure(quantity, one, is_signed=is_signed) for one in (found.low, found.high))
    return f"{low} .. {high}"


def better(quantity: Quantity, change: MeanOf) -> str:
    """Whether the whole interval of a change is better or worse; nothing where neither is."""
    if not quantity.better:
        return ""
    if change.low is None or change.high is None or change.low <= 0 <= change.high:
        return "no change shown"
    return "better" if (change.low > 0) == (quantity.better > 0) else "worse"


def heading(judged: JudgedPlan) -> str:
    """What was replayed."""
    found, spans = judged.verdict, judged.verdict.spans
    return (
        f"generation {judged.generation}, {counted(spans.windows, 'window')} of "
        f"{length_text(spans.epochs * spans.epoch_s)} from {utc_text(spans.from_unix_s)} to "
        f"{utc_text(spans.until_unix_s)}, {found.jobs:,} jobs"
    )


def promise(found: PlanVerdict) -> str:
    """What is promised, and what was found."""
    broken = found.broken
    value = figure(found.judged, broken.value)
    told = f"at most {format_ppm(found.promised_ppm)} of the {found.words.broken}; {value} % did"
    if broken.low is None:
        return f"{told}, 95 % interval unknown"
    return f"{told}, 95 % interval {limits(found.judged, broken)} %"


def remarks(judged: JudgedPlan) -> list[str]:
    """What is left to say."""
    found, told = judged.verdict, []
    if found.failures_ppm:
        told.append(f"{format_ppm(found.failures_ppm)} of the servers with a job failed in an hour")
    if judged.left_out:
        windows = counted(judged.left_out, "window")
        told.append(f"{windows} left out, without jobs or with energy that is not known")
    if judged.own_windows:
        windows = counted(judged.own_windows, "window")
        told.append(f"{windows} of the days that the policy was made from")
    if found.spans.windows < FEWEST_WINDOWS:
        told.append(f"an interval needs {FEWEST_WINDOWS} windows at least")
    if found.more_windows is not None:
        told.append(f"about {counted(found.more_windows, 'more window')} would decide")
    elif found.ruling is Ruling.UNDECIDED and found.spans.windows >= FEWEST_WINDOWS:
        if found.broken.low is None:
            told.append("there was no job to judge")
        elif not found.promised_ppm:
            told.append("no number of windows shows that no promise is ever broken")
    return told


def said(judged: JudgedPlan) -> str:
    """The verdict in a sentence."""
    return "; ".join([promise(judged.verdict), *remarks(judged)])
