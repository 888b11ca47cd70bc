"""Reports of the highest rates of token budgets as text, Markdown and JSON data."""

from __future__ import annotations

from typing import Any

from tailc.report.document import slo_dict
from tailc.report.size import beyond_texts, capacity_dict, capacity_markdown, capacity_table
from tailc.units import format_mrps, printable
from tailc.verify.tokens.size import TokenSizing

FORMAT = "tailc-size-tokens"
VERSION = 1


def as_text(sizing: TokenSizing, fleet_mrps: int | None) -> str:
    """Format a table with one row per policy or baseline, then how to read it."""
    step = f"{sizing.capacities[0].step_mrps / 1000:g}/s"
    parts = [
        f"{_title(sizing, fleet_mrps)},\n"
        f"on {sizing.held_out_requests:,} held-out requests with recorded arrivals",
        capacity_table(sizing.capacities, fleet_mrps),
        "The interval goes from the highest rate at which the whole 95 % interval of each\n"
        "percentile meets its limit to the highest rate at which a part of it does.\n"
        f"Rates are multiples of {step}.",
        *beyond_texts(sizing.capacities),
    ]
    return "\n\n".join(parts) + "\n"


def as_markdown_table(sizing: TokenSizing, fleet_mrps: int | None) -> str:
    """Format the table of capacities as Markdown for a pull request."""
    title = _title(sizing, fleet_mrps)
    rows = capacity_markdown(sizing.capacities, fleet_mrps)
    return f"### {title[0].upper()}{title[1:]}\n\n{rows}"


def as_dict(sizing: TokenSizing, fleet_mrps: int | None) -> dict[str, Any]:
    """Convert the highest rates to JSON data: see schemas/report/size-tokens-1.schema.json."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "slos": [slo_dict(slo) for slo in sizing.slos],
        "held_out": {"digest": sizing.held_out_digest, "requests": sizing.held_out_requests},
        "replay": {"seed": sizing.seed, "replicates": sizing.replicates},
        "fleet_mrps": fleet_mrps,
        "capacities": [capacity_dict(one, fleet_mrps) for one in sizing.capacities],
    }


def _title(sizing: TokenSizing, fleet_mrps: int | None) -> str:
    slos = " and ".join(printable(str(slo)) for slo in sizing.slos)
    fleet = "" if fleet_mrps is None else f"; number of servers for {format_mrps(fleet_mrps)}"
    return f"highest rate of one server that meets {slos}{fleet}"
