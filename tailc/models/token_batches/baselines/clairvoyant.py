"""Clairvoyant: the best of many rules by hindsight, which know each iteration's time and context.

An iteration ends within the limit of gaps between tokens, unless enough prompt tokens wait for each
decoding sequence: then it computes as many as the engine accepts, and makes one gap of each of
these sequences long. How many are enough, and the order of waiting requests, is what is best on all
requests of the replay, so it depends on arrivals and outputs that no server knows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from tailc.forms.budget_table import BatchEngine, static_budget
from tailc.models.baseline_syntax import NameValues, Syntax
from tailc.models.rule_baselines import RuleBaseline
from tailc.models.token_batches.arrays import NEVER, TokenScheduler
from tailc.models.token_batches.rule import TokenRule
from tailc.specs.slo import Metric, Slo

_NS_PER_US = 1_000
# Waiting prompt tokens for each decoding sequence from which on an iteration may exceed the limit.
_GAP_TOKENS = (NEVER, 1024, 512, 384, 256, 192, 128, 96, 64, 32, 16)
_GAPS = (Metric.ITL, Metric.TPOT)


def _candidates(
    engine: BatchEngine, largest_budget: int, slos: Sequence[Slo]
) -> tuple[TokenScheduler, ...]:
    limits_ns = [slo.latency_us * _NS_PER_US for slo in slos if slo.metric in _GAPS]
    table = static_budget(engine, largest_budget)
    return tuple(
        TokenScheduler(
            "clairvoyant",
            "shortest prompt first" if is_shortest else "first come first served",
            table,
            limit_ns=min(limits_ns, default=0),
            gap_tokens=gap_tokens,
            shortest_first=is_shortest,
        )
        for gap_tokens in (_GAP_TOKENS if limits_ns else (NEVER,))
        for is_shortest in (False, True)
    )


@final
class Clairvoyant(RuleBaseline[TokenRule]):
    """Baseline: the best by hindsight of rules that exceed the limit of gaps where it pays most."""

    syntax = Syntax("clairvoyant")
    about = (
        "iterations within the limit of gaps by their exact context, and above it where most "
        "prompts wait for each decoding sequence, by hindsight"
    )
    rank = 60
    examples = ("clairvoyant",)
    is_default = True

    def make(self, values: NameValues) -> TokenRule:
        return TokenRule(self.about, _candidates)
