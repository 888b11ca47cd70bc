"""The baseline whose prompts get fewer tokens as more sequences decode."""

from __future__ import annotations

from tailc.forms.budget_table import BatchEngine
from tailc.forms.step_times import NOTHING, StepTimes
from tailc.models.token_batches.baselines.adaptive import AdaptiveBudget

ENGINE = BatchEngine(1_000, 16, 4, StepTimes(1, NOTHING, NOTHING, NOTHING, NOTHING))


def budgets(name, largest_budget):
    values = AdaptiveBudget.syntax.read(name)
    (scheduler,) = AdaptiveBudget().make(values).candidates(ENGINE, largest_budget, ())
    return [row.budgets for row in scheduler.table.rows]


def test_the_tokens_of_prompts_fall_linearly_with_the_sequences_that_decode():
    """Of 8 tokens, a quarter less for each of at most 4 sequences; each of these takes one more."""
    assert budgets("adaptive-8", 100) == [(8,), (1 + 6,), (2 + 4,), (3 + 2,)]


def test_a_budget_is_at_most_the_largest_of_the_engine():
    assert budgets("adaptive-8", 6) == [(6,), (6,), (6,), (5,)]


def test_prompts_have_at_least_one_token():
    assert budgets("adaptive-1", 100) == [(1,), (2,), (3,), (4,)]
