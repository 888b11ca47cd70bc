"""Token-budget tables as text."""

from __future__ import annotations

from tailc.forms.budget_table import BudgetTable
from tailc.report.table import align_columns
from tailc.units import format_us

_NS_PER_US = 1_000


def budget_table_text(table: BudgetTable) -> str:
    """Format a token-budget table: the engine, and a row for each number of decoding sequences."""
    engine, step = table.engine, table.engine.step
    head = [
        f"engine      {engine.max_sequences:,} sequences, {engine.kv_blocks:,} blocks of "
        f"{engine.block_tokens:,} tokens",
        f"iteration   at least {format_us(-(-step.fixed_ns // _NS_PER_US))}",
        "budget      tokens of the next iteration; decoding takes its share first",
    ]
    waits = [f"{first:,}+ wait" for first in table.first_waiting]
    rows = [("decoding", *waits, "may start")]
    rows += [
        (
            decoding_text(table, number),
            *(f"{budget:,}" for budget in row.budgets),
            f"{row.new_sequences:,}",
        )
        for number, row in enumerate(table.rows)
    ]
    return "\n".join([*head, "", align_columns(rows, range(1, len(rows[0])))])


def decoding_text(table: BudgetTable, number: int) -> str:
    """Format the numbers of decoding sequences of a row, such as `16 to 31`."""
    first = table.rows[number].first_decoding
    if number + 1 == len(table.rows):
        return f"{first:,} and more"
    last = table.rows[number + 1].first_decoding - 1
    return f"{first:,}" if first == last else f"{first:,} to {last:,}"
