"""How a table that was tuned on the replay compares with the formula's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tailc.report.table import aligned
from tailc.units import format_mrps, format_us

if TYPE_CHECKING:
    from tailc.pipeline.queue.judge import RateGain
    from tailc.pipeline.queue.tune import TunedTable


_CLAIRVOYANT = "clairvoyant: a schedule that knows every size on arrival; closed: of the way there"


def queue_result(tuned: TunedTable) -> dict[str, object]:
    """By rate the tail [us] of both tables, and their difference with its 95 % interval."""
    return {
        "queue": {
            "is_better": tuned.judged.is_better,
            "judged_on": tuned.judged_on,
            "requests": tuned.requests,
            "rates": [
                {
                    "rate_mrps": gain.rate_mrps,
                    "formula_us": gain.formula_us,
                    "tuned_us": gain.tuned_us,
                    "change_us": gain.change_us,
                    "change_low_us": gain.low_us,
                    "change_high_us": gain.high_us,
                    "clairvoyant_us": gain.clairvoyant_us,
                }
                for gain in tuned.judged.gains
            ],
        }
    }


def queue_text(tuned: TunedTable) -> str:
    """The same as a table."""
    rows = [("rate", "formula", "tuned", "change", "95 % of chance", "clairvoyant", "closed")]
    rows += [_row(gain) for gain in tuned.judged.gains]
    taken = "taken" if tuned.judged.is_better else "not taken"
    bursts = f" in bursts ({tuned.aim.bursts})" if tuned.aim.bursts else ""
    head = f"tail with queues{bursts}, on {tuned.judged_on:,} requests that judged"
    head += f"; tuned table {taken}"
    return f"{head}\n{aligned(rows)}\n{_CLAIRVOYANT}"


def _row(gain: RateGain) -> tuple[str, ...]:
    def share(change_us: int) -> str:
        return f"{100 * change_us / max(gain.formula_us, 1):+.1f} %"

    return (
        format_mrps(gain.rate_mrps),
        format_us(gain.formula_us),
        format_us(gain.tuned_us),
        share(gain.change_us),
        f"{share(gain.low_us)} .. {share(gain.high_us)}",
        format_us(gain.clairvoyant_us),
        "" if gain.closed is None else f"{gain.closed:.0%}",
    )
