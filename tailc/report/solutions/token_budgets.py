"""Reports of a compile of token budgets."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from tailc.models.columns import percent
from tailc.problems.token_budgets import TokenBudgetProblem, TokenBudgetSolution
from tailc.report.json_data import json_data

if TYPE_CHECKING:
    from tailc.pipeline.compile import CompiledPolicy
    from tailc.traces.tokens import TokenTrace

_Compiled: TypeAlias = "CompiledPolicy[TokenBudgetProblem, TokenBudgetSolution, TokenTrace]"


def solution_result(compiled: _Compiled) -> dict[str, object]:
    """Build the JSON data of a token-budget compile: errors of fitted times, best static budget."""
    solution = compiled.sweep.chosen.solution
    return {
        "fit": json_data(solution.fit),
        "static_tokens": solution.static_tokens,
        "is_tuned": solution.is_tuned,
    }


def solution_text(compiled: _Compiled) -> str:
    """Format the errors of fitted iteration times and the best static budget as sentences."""
    solution, problem = compiled.sweep.chosen.solution, compiled.sweep.chosen.problem
    fit = solution.fit
    lines = [
        f"times of iterations: fitted to {len(problem.steps.time_ns):,} rows; rows that a fit did "
        f"not see differ by {percent(fit.mean_ppm)} on average, {percent(fit.worst_ppm)} at most"
    ]
    if solution.static_tokens is not None:
        lines.append(
            f"best static budget on the requests of the search: {solution.static_tokens:,} tokens"
        )
    return "\n".join(lines)
