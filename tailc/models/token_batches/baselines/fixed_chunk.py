"""Fixed chunk: every iteration computes the same number of prompt tokens, after decoding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from tailc.forms.budget_table import MOST_ROWS, BatchEngine, BudgetRow, BudgetTable
from tailc.models.baseline_syntax import NameValues, Placeholder, Syntax
from tailc.models.rule_baselines import RuleBaseline
from tailc.models.token_batches.arrays import TokenScheduler
from tailc.models.token_batches.rule import TokenRule
from tailc.specs.slo import Slo


@final
class FixedChunk(RuleBaseline[TokenRule]):
    """Baseline: decode first, then a fixed number of prompt tokens (Agrawal et al., OSDI 2024)."""

    syntax = Syntax("chunk-TOKENS")
    about = "all decoding sequences and a fixed number of prompt tokens in each iteration"
    rank = 30
    examples = ("chunk-512",)
    is_default = True

    def make(self, values: NameValues) -> TokenRule:
        tokens = values[Placeholder.TOKENS]

        def candidates(
            engine: BatchEngine, _largest_budget: int, _slos: Sequence[Slo]
        ) -> tuple[TokenScheduler, ...]:
            rows = tuple(
                BudgetRow(decoding, engine.max_sequences, (decoding + tokens,))
                for decoding in range(min(engine.max_sequences + 1, MOST_ROWS))
            )
            table = BudgetTable((0,), rows, engine)
            return (TokenScheduler(f"chunk-{tokens}", f"{tokens:,} prompt tokens", table),)

        return TokenRule(f"decode first, {tokens:,} prompt tokens in each iteration", candidates)
