"""Prompts first: while prompts wait, iterations have only prompts and decoding pauses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from tailc.forms.budget_table import BatchEngine, static_budget
from tailc.models.baseline_syntax import NameValues, Syntax
from tailc.models.rule_baselines import RuleBaseline
from tailc.models.token_batches.arrays import TokenScheduler
from tailc.models.token_batches.rule import STATIC_BUDGETS, TokenRule
from tailc.specs.slo import Slo


def _candidates(
    engine: BatchEngine, largest_budget: int, _slos: Sequence[Slo]
) -> tuple[TokenScheduler, ...]:
    tokens = min(STATIC_BUDGETS[-1], largest_budget)
    table = static_budget(engine, tokens)
    return (TokenScheduler("prompts-first", f"{tokens:,} tokens", table, prompts_first=True),)


@final
class PromptsFirst(RuleBaseline[TokenRule]):
    """Baseline: an iteration has prompts only, as long as prompts wait, and decodes otherwise."""

    syntax = Syntax("prompts-first")
    about = "waiting prompts alone, up to 16384 tokens an iteration; decoding pauses meanwhile"
    rank = 40
    examples = ("prompts-first",)
    is_default = True

    def make(self, values: NameValues) -> TokenRule:
        return TokenRule(self.about, _candidates)
