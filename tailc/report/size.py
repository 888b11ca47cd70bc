"""Reports of capacities as text, Markdown and JSON data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tailc.report.document import slo_dict
from tailc.report.table import align_columns, as_markdown
from tailc.units import format_mrps, format_us, printable
from tailc.verify.size import LIMIT_STEPS, STEPS, Capacity, Sizing, servers

FORMAT = "tailc-size"
VERSION = 1

_HEADS = ("subject", "highest rate", "95 % interval", "against first")
_FLEET_HEADS = ("servers", "95 % interval", "against first")
_NUMBERS = (1, 3, 4, 6)


def as_text(sizing: Sizing, fleet_mrps: int | None) -> str:
    """Format a table with one row per policy or baseline, then how to read it."""
    fleet = f"; number of servers for {format_mrps(fleet_mrps)}" if fleet_mrps else ""
    parts = [
        f"highest rate of one server that meets {printable(str(sizing.slo))}, "
        f"on {sizing.held_out_requests:,} held-out requests{fleet}{_cut_off(sizing)}",
        capacity_table(sizing.capacities, fleet_mrps),
        "The interval goes from the highest rate at which the whole 95 % interval of the\n"
        "percentile meets the target to the highest rate at which a part of it does.",
        _steps_text([one.step_mrps for one in sizing.capacities]),
        *beyond_texts(sizing.capacities),
    ]
    return "\n\n".join(parts) + "\n"


def capacity_table(capacities: Sequence[Capacity], fleet_mrps: int | None) -> str:
    """Format the highest rate of each policy or baseline as a text table, a row each."""
    return align_columns(_table(capacities, fleet_mrps), _NUMBERS)


def capacity_markdown(capacities: Sequence[Capacity], fleet_mrps: int | None) -> str:
    """Format the highest rate of each policy or baseline as a Markdown table, a row each.

    fleet_mrps: rate of a fleet, for a column with its number of servers; None: no such column.
    """
    return as_markdown(_table(capacities, fleet_mrps), _NUMBERS)


def beyond_texts(capacities: Sequence[Capacity]) -> list[str]:
    """A sentence for each policy whose highest rate is above those that it is compiled for."""
    return [
        _beyond_text(one.subject, one.exceeded_mrps)
        for one in capacities
        if one.exceeded_mrps is not None
    ]


def _steps_text(steps_mrps: Sequence[int]) -> str:
    least, most = (_rate(find(steps_mrps)) for find in (min, max))
    step = least if least == most else f"{least} to {most}"
    return (
        f"Rates are multiples of {step}, which is 1/{STEPS} of the rate that fills the server,\n"
        f"and limits of intervals of {LIMIT_STEPS} such steps: smaller differences do not show."
    )


def _beyond_text(subject: str, compiled_mrps: int) -> str:
    return (
        f"The highest rate of `{printable(subject)}` is above the rates that it is compiled for,\n"
        f"up to {format_mrps(compiled_mrps)}. A policy for higher rates may allow more."
    )


def as_markdown_table(sizing: Sizing, fleet_mrps: int | None) -> str:
    """Format the table of capacities as Markdown for a pull request."""
    title = f"Highest rate of one server that meets {printable(str(sizing.slo))}"
    fleet = f", and servers for {format_mrps(fleet_mrps)}" if fleet_mrps is not None else ""
    heading = f"### {title}{fleet}{_cut_off(sizing)}\n\n"
    return heading + capacity_markdown(sizing.capacities, fleet_mrps)


def _cut_off(sizing: Sizing) -> str:
    """State that latencies include unfinished requests if the policy cuts requests off."""
    if sizing.cut_off_us is None:
        return ""
    return f"; requests are cut off after {format_us(sizing.cut_off_us)}"


def as_dict(sizing: Sizing, fleet_mrps: int | None) -> dict[str, Any]:
    """Convert the capacities to JSON data, as schemas/report/size-1.schema.json describes."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "slo": slo_dict(sizing.slo),
        "held_out": {"digest": sizing.held_out_digest, "requests": sizing.held_out_requests},
        "replay": {
            "seed": sizing.seed,
            "requests": sizing.requests_per_replay,
            "replicates": sizing.replicates,
            "cut_off_us": sizing.cut_off_us,
        },
        "fleet_mrps": fleet_mrps,
        "capacities": [capacity_dict(one, fleet_mrps) for one in sizing.capacities],
    }


def capacity_dict(capacity: Capacity, fleet_mrps: int | None) -> dict[str, Any]:
    """Convert the highest rate of a policy or baseline to JSON data."""
    rates = (capacity.rate_mrps, capacity.low_mrps, capacity.high_mrps)
    needed, most, least = (
        None if fleet_mrps is None else servers(fleet_mrps, rate_mrps) for rate_mrps in rates
    )
    return {
        "subject": capacity.subject,
        "note": capacity.note,
        "rate_mrps": capacity.rate_mrps,
        "low_mrps": capacity.low_mrps,
        "high_mrps": capacity.high_mrps,
        "step_mrps": capacity.step_mrps,
        "servers": needed,
        "servers_low": least,
        "servers_high": most,
    }


def _table(capacities: Sequence[Capacity], fleet_mrps: int | None) -> Sequence[tuple[str, ...]]:
    first = capacities[0]
    heads = _HEADS if fleet_mrps is None else (*_HEADS, *_FLEET_HEADS)
    rows = [_row(one, first, fleet_mrps) for one in capacities]
    return [heads, *rows]


def _row(capacity: Capacity, first: Capacity, fleet_mrps: int | None) -> tuple[str, ...]:
    note = f", {capacity.note}" if capacity.note else ""
    cells = (
        printable(capacity.subject) + note,
        _rate(capacity.rate_mrps),
        _between(_rate(capacity.low_mrps), _rate(capacity.high_mrps)),
        _against(capacity.rate_mrps, first.rate_mrps, capacity is first),
    )
    if fleet_mrps is None:
        return cells
    needed, least, most, ours = (
        servers(fleet_mrps, rate)
        for rate in (capacity.rate_mrps, capacity.high_mrps, capacity.low_mrps, first.rate_mrps)
    )
    return (
        *cells,
        _count(needed),
        _between(_count(least), _count(most)),
        _against(needed, ours, capacity is first),
    )


def _between(low: str, high: str) -> str:
    return f"{low} .. {high}"


def _rate(rate_mrps: int | None) -> str:
    return "none" if rate_mrps is None else f"{rate_mrps / 1000:,.1f}/s"


def _count(servers: int | None) -> str:
    return "-" if servers is None else f"{servers:,}"


def _against(value: int | None, first: int | None, is_first: bool) -> str:
    if is_first or value is None or first is None:
        return "-"
    return f"{100 * (value / first - 1):+.0f} %"
