"""Handler for budgets of batch work on the hardware threads of a core."""

from __future__ import annotations

from tailc.pipeline.borrowing import solve_for_budgets
from tailc.pipeline.handlers.handler import ProblemHandler, fastest_service_ns, request_slo_check
from tailc.pipeline.lane_evidence import borrowing_settings, predicted_misses

HANDLER = ProblemHandler(
    solve_for_budgets,
    borrowing_settings,
    request_slo_check(fastest_service_ns),
    predicted_misses,
    candidate=lambda problem: f"the policy `{problem.borrowing.value}`",
)
