"""Handler for tables of tails by cycles and by memory time."""

from __future__ import annotations

from tailc.pipeline.handlers.handler import ProblemHandler, for_requests
from tailc.pipeline.tails import hopeful_sums, least_ns, solve_for_tails, tail_settings

HANDLER = ProblemHandler(solve_for_tails, tail_settings, for_requests(least_ns), hopeful_sums)
