"""Baselines of token batches: schedulers that do not depend on a policy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tailc.forms.budget_table import BatchEngine
from tailc.models.token_batches.arrays import TokenScheduler
from tailc.specs.slo import Slo

STATIC_BUDGETS = (512, 1_024, 2_048, 4_096, 8_192, 16_384)
"""Budgets that users of engines set by hand."""


def static_budgets(largest: int, step: int = 1) -> tuple[int, ...]:
    """The usual fixed token budgets, STATIC_BUDGETS, that an engine accepts and `step` divides.

    If there are none: `largest` alone, the largest budget of the engine.
    """
    usual = (one for one in STATIC_BUDGETS if one <= largest and one % step == 0)
    return tuple(usual) or (largest,)


@dataclass(frozen=True)
class TokenRule:
    """A baseline for token batches: candidate schedulers, of which a replay uses the best.

    about: description in reports. candidates: makes them for an engine, its largest token budget
    and the SLOs.
    """

    about: str
    candidates: Callable[[BatchEngine, int, Sequence[Slo]], tuple[TokenScheduler, ...]]
