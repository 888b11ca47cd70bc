"""What became of the budgets of a spec, as a table."""

from __future__ import annotations

from typing import Any

from tailc.diff.budgets import Budgeted
from tailc.report.table import aligned, as_markdown
from tailc.studies.budgets import change_text
from tailc.units import format_ppm

_TITLES = ("budget", "arrivals", "change", "95 % interval", "allowed", "verdict")
_NUMBERS = (2, 4)


def budgets_text(found: Budgeted) -> str:
    """A row for each budget under each arrival process; nothing where both policies do the same."""
    head = f"\nbudgets: {found.ruling.value}\n"
    return f"{head}{aligned(_rows(found), _NUMBERS)}\n" if found.kept else ""


def budgets_markdown(found: Budgeted) -> str:
    """The same for a comment."""
    head = f"\nbudgets: {found.ruling.value}\n\n"
    return head + as_markdown(_rows(found), _NUMBERS) if found.kept else ""


def budgets_dict(found: Budgeted) -> dict[str, Any]:
    """The same for a program, with changes in millionths of the old policy's value."""
    rows = [
        {
            "budget": one.key,
            "arrivals": one.arrivals,
            "allowed_ppm": one.most_ppm,
            "change_ppm": one.change_ppm,
            "low_ppm": one.low_ppm,
            "high_ppm": one.high_ppm,
            "verdict": one.ruling.value,
        }
        for one in found.kept
    ]
    return {"verdict": found.ruling.value, "rows": rows}


def _rows(found: Budgeted) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [_TITLES]
    for one in found.kept:
        limits = "unknown"
        if one.low_ppm is not None and one.high_ppm is not None:
            limits = f"{change_text(one.low_ppm)} .. {change_text(one.high_ppm)}"
        change = "unknown" if one.change_ppm is None else change_text(one.change_ppm)
        allowed = f"+{format_ppm(one.most_ppm)}"
        rows.append((one.key, one.arrivals, change, limits, allowed, one.ruling.value))
    return rows
