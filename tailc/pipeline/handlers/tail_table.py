"""Handler for tail tables: quantiles of remaining work by cycles and by memory time."""

from __future__ import annotations

from tailc.pipeline.handlers.handler import ProblemHandler, request_slo_check
from tailc.pipeline.tails import least_ns, solve_for_tails, tail_settings, underestimated_sums

HANDLER = ProblemHandler(
    solve_for_tails, tail_settings, request_slo_check(least_ns), underestimated_sums
)
