"""Handler for token budgets of a language model's server."""

from __future__ import annotations

from tailc.pipeline.handlers.handler import ProblemHandler, without_slo_check
from tailc.pipeline.token_budgets import budget_remarks, budget_settings, solve_for_budgets

# The solution checks the SLOs, because it has the fitted times of iterations.
HANDLER = ProblemHandler(solve_for_budgets, budget_settings, without_slo_check, budget_remarks)
