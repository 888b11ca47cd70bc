"""Reports of overload control: the rule, and the work that requests lose to it at each rate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tailc.models.columns import percent
from tailc.report.json_data import json_data
from tailc.report.table import align_columns
from tailc.units import format_mrps, format_us

if TYPE_CHECKING:
    from tailc.tuning.overload.losses import RateLoss
    from tailc.tuning.overload.search import Relief


def relief_result(relief: Relief) -> dict[str, object]:
    """Build the JSON data of overload control: the rule, and percentile and lost work by rate.

    The percentile is that of served requests [us].
    """
    overload = len(relief.aim.rates_mrps)
    return {
        "overload": {
            "rule": None if relief.rule is None else relief.rule.value,
            "judged_on": relief.judged_on,
            "others": [
                {"rule": rule.value, "lost_ppm": lost_ppm} for rule, lost_ppm in relief.others
            ],
            "rates": [
                {
                    "rate_mrps": rate.rate_mrps,
                    "is_overload": number < overload,
                    "tail_us": rate.tail_us,
                    "tail_high_us": rate.high_us,
                    "loss": json_data(rate.loss),
                }
                for number, rate in enumerate(relief.rates)
            ],
        }
    }


def relief_text(relief: Relief) -> str:
    """Format the percentiles and losses of overload control by rate as a table.

    The ladder's text states the rule.
    """
    rows = [("rate", "tail", "at most", "work lost", "95 %", "refused", "cut off", "degraded")]
    rows += [_row(rate) for rate in relief.rates]
    rule = "no rule is needed" if relief.rule is None else f"rule `{relief.rule.value}`"
    head = f"overload, on {relief.judged_on:,} records held out from the search: {rule}"
    rejected = [_rejected_rule(rule.value, lost_ppm) for rule, lost_ppm in relief.others]
    return "\n".join([head, align_columns(rows), *rejected])


def _row(rate: RateLoss) -> tuple[str, ...]:
    loss = rate.loss
    low, high = loss.low_ppm or 0, loss.high_ppm or 0
    return (
        format_mrps(rate.rate_mrps),
        format_us(rate.tail_us),
        "" if rate.high_us is None else format_us(rate.high_us),
        percent(loss.work_ppm),
        f"{percent(low)} .. {percent(high)}",
        percent(loss.refused_ppm),
        percent(loss.cut_ppm),
        percent(loss.degraded_ppm),
    )


def _rejected_rule(rule: str, lost_ppm: int | None) -> str:
    if lost_ppm is None:
        return f"`{rule}` cannot keep the tail within its limit"
    return f"`{rule}` would lose {percent(lost_ppm)} of the work, averaged over all rates"
