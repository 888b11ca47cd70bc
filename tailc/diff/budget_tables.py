"""Differences between the budget tables of two policies, with the names of settings."""

from __future__ import annotations

from collections.abc import Iterator

from tailc.diff.differences import SettingChange, differences
from tailc.forms.budget_table import BudgetTable
from tailc.forms.step_times import StepPart


def budget_table_changes(
    old: BudgetTable | None, new: BudgetTable | None
) -> Iterator[SettingChange]:
    """List the settings of two token-budget tables that differ.

    Gives a single change if only one policy has such a table.
    """
    if old is None or new is None:
        if old is not new:
            yield SettingChange("budgets", _summary(old), _summary(new))
        return
    yield from differences(_settings(old), _settings(new))


def _summary(table: BudgetTable | None) -> str | None:
    if table is None:
        return None
    return f"{len(table.rows):,} rows of {len(table.first_waiting):,} budgets"


def _settings(table: BudgetTable) -> dict[str, str]:
    """All settings of a table, by name."""
    engine = table.engine
    step = engine.step
    parts = (step.tokens, step.prompt, step.decoding, step.context)
    names = ("tokens", "prompt", "decoding", "context")
    return {
        "waiting prompt tokens from": ", ".join(f"{first:,}" for first in table.first_waiting),
        "blocks of the cache": f"{engine.kv_blocks:,}",
        "tokens of a block": f"{engine.block_tokens:,}",
        "sequences of a batch": f"{engine.max_sequences:,}",
        "fixed time of an iteration": f"{step.fixed_ns:,} ns",
        **{f"time by {name}": _part_text(part) for name, part in zip(names, parts, strict=True)},
        **{
            f"from {row.first_decoding:,} decoding sequences": (
                f"{', '.join(f'{budget:,}' for budget in row.budgets)}; "
                f"{row.new_sequences:,} may start"
            )
            for row in table.rows
        },
    }


def _part_text(part: StepPart) -> str:
    pairs = zip(part.knots, part.time_ns, strict=True)
    return ", ".join(f"{knot:,}: {time_ns:,} ns" for knot, time_ns in pairs)
