"""llm-batching as a problem of token budgets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tailc.forms.budget_table import BudgetTable
from tailc.policies.llm_batching.spec import LlmBatchingSpec, ProfiledSpec
from tailc.problems.token_budgets import (
    BudgetObjective,
    TokenBudgetProblem,
    TokenBudgetSolution,
    TokenEffort,
    TokenMethod,
)

if TYPE_CHECKING:
    from tailc.traces.tokens import TokenTrace


def candidates(spec: ProfiledSpec) -> tuple[ProfiledSpec, ...]:
    """Return the spec itself: this kind of policy compares no alternatives."""
    return (spec,)


def reduce(spec: ProfiledSpec, design: TokenTrace) -> TokenBudgetProblem:
    """Formulate the problem: the engine of the spec, with the requests of the trace."""
    engine = spec.engine
    return TokenBudgetProblem(
        trace=design,
        steps=spec.step_rows,
        kv_blocks=engine.kv_blocks,
        block_tokens=engine.block_tokens,
        max_sequences=engine.max_sequences,
        slos=spec.slos,
        rates_mrps=spec.rates_mrps,
        largest_budget=engine.largest_budget,
        budget_step=engine.budget_step,
        effort=TokenEffort(spec.search.effort),
        objective=BudgetObjective(spec.search.objective),
        method=TokenMethod(spec.search.method),
        is_monotone=spec.search.monotone,
    )


def emit(
    spec: LlmBatchingSpec,  # noqa: ARG001 - the solution has all of it
    problem: TokenBudgetProblem,  # noqa: ARG001
    solution: TokenBudgetSolution,
) -> BudgetTable:
    """Return the token-budget table of the solution."""
    return solution.table
