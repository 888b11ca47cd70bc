"""Shortest prompts first: waiting requests start in the order of their prompt tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from tailc.forms.budget_table import BatchEngine, static_budget
from tailc.models.baseline_syntax import NameValues, Placeholder, Syntax
from tailc.models.rule_baselines import RuleBaseline
from tailc.models.token_batches.arrays import TokenScheduler
from tailc.models.token_batches.rule import TokenRule
from tailc.specs.slo import Slo


@final
class ShortestFirst(RuleBaseline[TokenRule]):
    """Baseline: one budget, and the waiting request with the fewest prompt tokens starts first."""

    syntax = Syntax("shortest-TOKENS")
    about = "the waiting request with the fewest prompt tokens first, and one budget"
    rank = 45
    examples = ("shortest-2048",)
    is_default = False

    def make(self, values: NameValues) -> TokenRule:
        tokens = values[Placeholder.TOKENS]

        def candidates(
            engine: BatchEngine, _largest_budget: int, _slos: Sequence[Slo]
        ) -> tuple[TokenScheduler, ...]:
            table = static_budget(engine, tokens)
            name = f"shortest-{tokens}"
            return (TokenScheduler(name, f"{tokens:,} tokens", table, shortest_first=True),)

        return TokenRule(f"the shortest waiting prompt first, {tokens:,} tokens", candidates)
