"""Static: one token budget for all iterations, which is what serving engines offer as an option."""

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
class StaticBudget(RuleBaseline[TokenRule]):
    """Baseline: the same token budget for every iteration."""

    syntax = Syntax("static-TOKENS")
    about = "one budget for all iterations, such as 2048 tokens"
    rank = 20
    examples = ("static-2048",)
    is_default = True

    def make(self, values: NameValues) -> TokenRule:
        tokens = values[Placeholder.TOKENS]

        def candidates(
            engine: BatchEngine, _largest_budget: int, _slos: Sequence[Slo]
        ) -> tuple[TokenScheduler, ...]:
            name = f"static-{tokens}"
            return (TokenScheduler(name, f"{tokens:,} tokens", static_budget(engine, tokens)),)

        return TokenRule(f"one budget of {tokens:,} tokens", candidates)
