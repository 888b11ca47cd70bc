"""Handler for the ages at which requests move to another core."""

from __future__ import annotations

from tailc.pipeline.handlers.handler import ProblemHandler, fastest_service_ns, request_slo_check
from tailc.pipeline.settings import threshold_settings
from tailc.pipeline.thresholds import solve_for_ages

HANDLER = ProblemHandler(solve_for_ages, threshold_settings, request_slo_check(fastest_service_ns))
