"""Handler for CPU shares of virtual machines."""

from __future__ import annotations

from tailc.pipeline.handlers.handler import ProblemHandler, without_slo_check
from tailc.pipeline.shares import host_remarks, shares_settings, solve_for_shares

HANDLER = ProblemHandler(solve_for_shares, shares_settings, without_slo_check, host_remarks)
