"""Within a time: each iteration has as many tokens as it can compute in a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from tailc.forms.budget_table import BatchEngine, static_budget
from tailc.models.baseline_syntax import NameValues, Placeholder, Syntax
from tailc.models.rule_baselines import RuleBaseline
from tailc.models.token_batches.arrays import TokenScheduler
from tailc.models.token_batches.rule import TokenRule
from tailc.specs.slo import Slo
from tailc.units import format_us

_NS_PER_US = 1_000


@final
class WithinTime(RuleBaseline[TokenRule]):
    """Baseline: as many prompt tokens as an iteration can compute within a time.

    It knows the times and the context of each iteration, except for cached prefixes of requests
    that start; a table knows only the numbers of decoding sequences and waiting tokens.
    """

    syntax = Syntax("within-TIME")
    about = (
        "the most prompt tokens with which an iteration ends within a time, by its exact context"
    )
    rank = 50
    examples = ("within-200ms",)
    is_default = False

    def make(self, values: NameValues) -> TokenRule:
        limit_us = values[Placeholder.TIME]

        def candidates(
            engine: BatchEngine, largest_budget: int, _slos: Sequence[Slo]
        ) -> tuple[TokenScheduler, ...]:
            table = static_budget(engine, largest_budget)
            name = f"within-{format_us(limit_us).replace(' ', '')}"
            limit_ns = limit_us * _NS_PER_US
            return (TokenScheduler(name, "context known", table, limit_ns=limit_ns),)

        return TokenRule(f"iterations of at most {format_us(limit_us)}, context known", candidates)
