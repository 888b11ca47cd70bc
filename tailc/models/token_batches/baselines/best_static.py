"""Best static: the token budget that a user would choose at each rate with the requests known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from tailc.forms.budget_table import BatchEngine, static_budget
from tailc.models.baseline_syntax import NameValues, Syntax
from tailc.models.rule_baselines import RuleBaseline
from tailc.models.token_batches.arrays import TokenScheduler
from tailc.models.token_batches.rule import TokenRule, static_budgets
from tailc.specs.slo import Slo


def _candidates(
    engine: BatchEngine, largest_budget: int, _slos: Sequence[Slo]
) -> tuple[TokenScheduler, ...]:
    return tuple(
        TokenScheduler("best-static", f"{tokens:,} tokens", static_budget(engine, tokens))
        for tokens in static_budgets(largest_budget)
    )


@final
class BestStatic(RuleBaseline[TokenRule]):
    """Baseline: the best of the usual token budgets at each rate, by hindsight."""

    syntax = Syntax("best-static")
    about = "the best of the budgets 512, 1024, ... 16384 at each rate, by hindsight"
    rank = 10
    examples = ("best-static",)
    is_default = True

    def make(self, values: NameValues) -> TokenRule:
        return TokenRule(self.about, _candidates)
