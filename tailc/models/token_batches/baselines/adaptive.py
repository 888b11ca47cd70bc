"""Adaptive budget: the more sequences decode, the fewer prompt tokens an iteration computes."""

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
class AdaptiveBudget(RuleBaseline[TokenRule]):
    """Baseline: prompt tokens of an iteration fall linearly with the share of decoding sequences.

    Rules of this kind are proposed for vLLM (issue 52906 of vllm-project/vllm), with thresholds
    that are tuned by hand.
    """

    syntax = Syntax("adaptive-TOKENS")
    about = "fewer prompt tokens in proportion to the sequences that decode"
    rank = 35
    examples = ("adaptive-4096",)
    is_default = False

    def make(self, values: NameValues) -> TokenRule:
        tokens = values[Placeholder.TOKENS]

        def candidates(
            engine: BatchEngine, largest_budget: int, _slos: Sequence[Slo]
        ) -> tuple[TokenScheduler, ...]:
            most = engine.max_sequences
            rows = tuple(
                BudgetRow(decoding, most, (min(_budget(tokens, decoding, most), largest_budget),))
                for decoding in range(min(most, MOST_ROWS))
            )
            table = BudgetTable((0,), rows, engine)
            return (TokenScheduler(f"adaptive-{tokens}", f"up to {tokens:,} tokens", table),)

        return TokenRule(f"up to {tokens:,} prompt tokens, fewer as more decode", candidates)


def _budget(tokens: int, decoding: int, most_sequences: int) -> int:
    """Decoding sequences, and the prompt tokens that are left to them, at least one."""
    return decoding + max(tokens * (most_sequences - decoding) // most_sequences, 1)
