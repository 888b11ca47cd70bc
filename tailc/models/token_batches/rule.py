"""Baselines of token batches: schedulers that do not depend on a policy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tailc.forms.budget_table import BatchEngine
from tailc.models.token_batches.arrays import TokenScheduler

STATIC_BUDGETS = (512, 1_024, 2_048, 4_096, 8_192, 16_384)
"""Budgets that users of engines set by hand."""


def static_budgets(largest: int) -> tuple[int, ...]:
    """The usual fixed token budgets that an engine accepts, STATIC_BUDGETS up to `largest`.

    If all are above it: `largest` alone.
    """
    return tuple(one for one in STATIC_BUDGETS if one <= largest) or (largest,)


@dataclass(frozen=True)
class TokenRule:
    """A baseline for token batches: a set of candidate schedulers, of which the best counts.

    about: description in reports. candidates: makes them for an engine and its largest token
    budget.
    """

    about: str
    candidates: Callable[[BatchEngine, int], tuple[TokenScheduler, ...]]
