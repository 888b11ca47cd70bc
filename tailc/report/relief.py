"""What a table does under overload, and what its rule takes from requests at each rate."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from tailc.percentiles import PPM
from tailc.report.table import aligned
from tailc.units import format_mrps, format_us

if TYPE_CHECKING:
    from tailc.tuning.overload.losses import RateLoss
    from tailc.tuning.overload.search import Relief


def relief_result(found: Relief) -> dict[str, object]:
    """The rule, and by rate the tail [us] of those served and what is lost."""
    overload = len(found.aim.rates_mrps)
    return {
        "overload": {
            "rule": None if found.rule is None else found.rule.value,
            "judged_on": found.judged_on,
            "others": [
                {"rule": rule.value, "lost_ppm": lost_ppm} for rule, lost_ppm in found.others
            ],
            "rates": [
                {
                    "rate_mrps": one.rate_mrps,
                    "is_overload": number < overload,
                    "tail_us": one.tail_us,
                    "tail_high_us": one.high_us,
                    "loss": asdict(one.loss),
                }
                for number, one in enumerate(found.rates)
            ],
        }
    }


def relief_text(found: Relief) -> str:
    """The same as a table; the rule itself stands with the rows."""
    rows = [("rate", "tail", "at most", "work lost", "95 %", "refused", "cut off", "degraded")]
    rows += [_row(one) for one in found.rates]
    rule = "no rule is needed" if found.rule is None else f"rule `{found.rule.value}`"
    head = f"overload, on {found.judged_on:,} records held out from the search: {rule}"
    told = [_other(rule.value, lost_ppm) for rule, lost_ppm in found.others]
    return "\n".join([head, aligned(rows), *told])


def _row(one: RateLoss) -> tuple[str, ...]:
    loss = one.loss
    low, high = loss.low_ppm or 0, loss.high_ppm or 0
    return (
        format_mrps(one.rate_mrps),
        format_us(one.tail_us),
        "" if one.high_us is None else format_us(one.high_us),
        _percent(loss.work_ppm),
        f"{_percent(low)} .. {_percent(high)}",
        _percent(loss.refused_ppm),
        _percent(loss.cut_ppm),
        _percent(loss.degraded_ppm),
    )


def _other(rule: str, lost_ppm: int | None) -> str:
    if lost_ppm is None:
        return f"`{rule}` cannot keep the tail in time"
    return f"`{rule}` would lose {_percent(lost_ppm)} of the work, in the mean of all rates"


def _percent(share_ppm: int) -> str:
    return f"{100 * share_ppm / PPM:.1f} %"
