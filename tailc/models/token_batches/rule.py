"""Baselines of token batches: schedulers that do not depend on a policy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tailc.forms.budget_table import BatchEngine
from tailc.models.token_batches.arrays import TokenScheduler

STATIC_BUDGETS = (512, 1_024, 2_048, 4_096, 8_192, 16_384)
"""Budgets that users of engines set by hand."""


def static_budgets(largest: int) -> tuple[int, ...]:
    """The usual token budgets, STATIC_BUDGETS, that the engine accepts.

    If it accepts none of them, the largest budget of the engine.
    """
    return tuple(one for one in STATIC_BUDGETS if one <= largest) or (largest,)


@dataclass(frozen=True)
class TokenRule:
    """A baseline for any engine of a language model: its candidates, the best of which counts.

    candidates: by the engine and the largest token budget that it accepts.
    """

    about: str
    candidates: Callable[[BatchEngine, int], tuple[TokenScheduler, ...]]
