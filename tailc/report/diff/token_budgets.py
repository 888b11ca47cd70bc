"""Reports of how latencies change from one policy of token budgets to another."""

from __future__ import annotations

from typing import Any

from tailc.diff.token_budgets import TokenChange
from tailc.models.columns import UsageColumn, column, percent
from tailc.report.estimates import percentile_name
from tailc.report.json_data import json_data
from tailc.report.table import columns_aligned, columns_markdown
from tailc.report.tokens.words import change as relative
from tailc.report.tokens.words import ms
from tailc.units import format_mrps


def as_text(change: TokenChange) -> str:
    """Format the changes of latency of two token-budget policies: a row per SLO and rate.

    Another row has the goodput.
    """
    return f"{_title(change)}\n{columns_aligned(_columns(change))}\n"


def as_markdown(change: TokenChange) -> str:
    """Format the changes of latency of two token-budget policies as Markdown."""
    return f"\n{_title(change)}\n\n{columns_markdown(_columns(change))}"


def as_dict(change: TokenChange) -> dict[str, Any]:
    """Convert the changes of latency of two token-budget policies to JSON data."""
    return json_data(change)


def _title(change: TokenChange) -> str:
    return (
        f"percentiles [ms] and requests that meet all SLOs (goodput), in replays of "
        f"{change.held_out_requests:,} recorded requests"
    )


def _columns(change: TokenChange) -> tuple[UsageColumn, ...]:
    rows: list[tuple[str, ...]] = []
    for one in change.rates:
        rate = format_mrps(one.rate_mrps)
        for tail in one.tails:
            name = percentile_name(tail.slo)
            rows.append((rate, name, ms(tail.old_us), ms(tail.new_us), relative(tail.change)))
        shares = percent(one.old_goodput_ppm), percent(one.new_goodput_ppm)
        rows.append((rate, "goodput", *shares, ""))
    cells = [list(cell) for cell in zip(*rows, strict=True)]
    return (
        column("rate", cells[0], is_number=False),
        column("quantity", cells[1], is_number=False),
        column("old", cells[2]),
        column("new", cells[3]),
        column("change", cells[4]),
    )
