"""Handler for ladders: rows of rungs by load and age."""

from __future__ import annotations

from tailc.pipeline.handlers.handler import ProblemHandler, fastest_service_ns, request_slo_check
from tailc.pipeline.ladders import solve_for_schedules
from tailc.pipeline.remarks import dominated_degrees
from tailc.pipeline.settings import ladder_settings, target_name

HANDLER = ProblemHandler(
    solve_for_schedules,
    ladder_settings,
    request_slo_check(fastest_service_ns),
    dominated_degrees,
    candidate=target_name,
)
