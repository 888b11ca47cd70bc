"""How a table that was tuned on the replay compares with the formula's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tailc.percentiles import PPM
from tailc.replay.tuned_for import arrivals_text, pattern_settings
from tailc.report.table import aligned
from tailc.units import format_mrps, format_us

if TYPE_CHECKING:
    from tailc.pipeline.queue.judge import RateGain
    from tailc.pipeline.queue.tune import TunedTable


_CLAIRVOYANT = "clairvoyant: a schedule that knows every size on arrival; closed: of the way there"


def queue_result(tuned: TunedTable) -> dict[str, object]:
    """By rate the tail [us] of both tables, and the change with its 95 % interval."""
    return {
        "queue": {
            "is_better": tuned.judged.is_better,
            "judged_on": tuned.judged_on,
            "kept_out": tuned.kept_out,
            "requests": tuned.requests,
            "rates": [
                {
                    "rate_mrps": gain.rate_mrps,
                    "formula_us": gain.formula_us,
                    "tuned_us": gain.tuned_us,
                    "change_ppm": gain.change_ppm,
                    "change_low_ppm": gain.low_ppm,
                    "change_high_ppm": gain.high_ppm,
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
    told = pattern_settings(tuned.aim)
    arrivals = f" under {arrivals_text(told)}" if told else ""
    kept = "kept out of the search" if tuned.kept_out else "that it was tuned on"
    taken = "taken" if tuned.judged.is_better else "not taken"
    head = f"tail with queues{arrivals}, on {tuned.judged_on:,} records {kept}: tuned table {taken}"
    return f"{head}\n{aligned(rows)}\n{_CLAIRVOYANT}"


def _row(gain: RateGain) -> tuple[str, ...]:
    return (
        format_mrps(gain.rate_mrps),
        format_us(gain.formula_us),
        format_us(gain.tuned_us),
        _percent(gain.change_ppm),
        f"{_percent(gain.low_ppm)} .. {_percent(gain.high_ppm)}",
        format_us(gain.clairvoyant_us),
        "" if gain.closed is None else f"{gain.closed:.0%}",
    )


def _percent(change_ppm: int) -> str:
    return f"{100 * change_ppm / PPM:+.1f} %"
