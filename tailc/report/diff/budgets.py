"""Reports of a spec's budgets: the allowed changes, and whether each budget is kept."""

from __future__ import annotations

from typing import Any

from tailc.diff.budgets import BudgetCheck
from tailc.report.table import align_columns, as_markdown
from tailc.studies.budgets import change_text
from tailc.units import format_ppm

_TITLES = ("budget", "arrivals", "change", "95 % interval", "allowed", "verdict")
_NUMBERS = (2, 4)


def budgets_text(budgets: BudgetCheck) -> str:
    """Format the check of `diff` budgets: one row per budget and arrival process.

    Empty if both policies have the same decisions.
    """
    head = f"\nbudgets: {budgets.ruling.value}\n"
    return f"{head}{align_columns(_rows(budgets), _NUMBERS)}\n" if budgets.rulings else ""


def budgets_markdown(budgets: BudgetCheck) -> str:
    """Format the check of a comparison's budgets as Markdown for a comment."""
    head = f"\nbudgets: {budgets.ruling.value}\n\n"
    return head + as_markdown(_rows(budgets), _NUMBERS) if budgets.rulings else ""


def budgets_dict(budgets: BudgetCheck) -> dict[str, Any]:
    """Convert the budgets to JSON data; changes are in 1e-6 of the old policy's value."""
    rows = [
        {
            "budget": budget.key,
            "arrivals": budget.arrivals,
            "allowed_ppm": budget.most_ppm,
            "change_ppm": budget.change_ppm,
            "low_ppm": budget.low_ppm,
            "high_ppm": budget.high_ppm,
            "verdict": budget.ruling.value,
        }
        for budget in budgets.rulings
    ]
    return {"verdict": budgets.ruling.value, "rows": rows}


def _rows(budgets: BudgetCheck) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [_TITLES]
    for budget in budgets.rulings:
        limits = "unknown"
        if budget.low_ppm is not None and budget.high_ppm is not None:
            limits = f"{change_text(budget.low_ppm)} .. {change_text(budget.high_ppm)}"
        change = "unknown" if budget.change_ppm is None else change_text(budget.change_ppm)
        allowed = f"+{format_ppm(budget.most_ppm)}"
        rows.append((budget.key, budget.arrivals, change, limits, allowed, budget.ruling.value))
    return rows
