"""Handler for CPU shares of virtual machines."""

from __future__ import annotations

from tailc.pipeline.handlers.handler import ProblemHandler, no_requests
from tailc.pipeline.shares import host_remarks, shares_settings, solve_for_shares

HANDLER = ProblemHandler(solve_for_shares, shares_settings, no_requests, host_remarks)
