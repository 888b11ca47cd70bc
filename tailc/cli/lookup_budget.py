"""The part of `tailc lookup` for token-budget tables: the tokens of the next iteration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tailc.cli.outcome import CommandOutcome

if TYPE_CHECKING:
    from tailc.cli.lookup_query import BudgetQuery
    from tailc.forms.budget_table import BudgetTable


def look_up(table: BudgetTable, query: BudgetQuery) -> CommandOutcome:
    """Look up the tokens of a language model's next iteration, and the sequences that may start."""
    from tailc.forms.budget_table import allowance

    found = allowance(table, query.decoding, query.waiting_tokens)
    prompts = max(found.budget - query.decoding, 0)
    text = (
        f"{found.budget:,} tokens, of which prompts take {prompts:,}\n"
        f"{found.new_sequences:,} sequences may start"
    )
    result: dict[str, object] = {
        "budget": found.budget,
        "prompt_tokens": prompts,
        "new_sequences": found.new_sequences,
    }
    return CommandOutcome(text=text, result=result)
