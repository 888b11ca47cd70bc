"""Reports of how throughput changes from one CPU-share policy to another."""

from __future__ import annotations

from typing import Any

from tailc.diff.throughput import MachineChange, ThroughputChange
from tailc.models.columns import UsageColumn, percent
from tailc.percentiles import PPM
from tailc.report.json_data import json_data
from tailc.report.table import columns_aligned, columns_markdown
from tailc.units import printable


def as_text(change: ThroughputChange) -> str:
    """Format one row per machine that has a target in both policies."""
    return f"{_title(change)}\n{columns_aligned(_columns(change))}\n"


def as_markdown(change: ThroughputChange) -> str:
    """Format the changed throughput errors of machines as Markdown for a comment."""
    return f"\n{_title(change)}\n\n{columns_markdown(_columns(change))}"


def as_dict(change: ThroughputChange) -> dict[str, Any]:
    """Convert the changed throughput errors of machines to JSON data, in 1e-6."""
    return json_data(change)


def _title(change: ThroughputChange) -> str:
    return (
        f"change of the mean error of throughput, relative to the target, over {change.steps:,} "
        f"steps of {change.held_out_rows:,} rows"
    )


def _columns(change: ThroughputChange) -> tuple[UsageColumn, ...]:
    machines = change.machines
    return (
        UsageColumn("machine", tuple(printable(m.name) for m in machines), is_number=False),
        UsageColumn("old", tuple(percent(m.old_ppm) for m in machines)),
        UsageColumn("new", tuple(percent(m.new_ppm) for m in machines)),
        UsageColumn("change", tuple(_points(m.change.ppm) for m in machines)),
        UsageColumn("95 % interval", tuple(_limits(m) for m in machines)),
    )


def _limits(machine: MachineChange) -> str:
    return f"{_points(machine.change.low_ppm)} .. {_points(machine.change.high_ppm)}"


def _points(ppm: int) -> str:
    return f"{ppm * 100 / PPM:+.2f}"
