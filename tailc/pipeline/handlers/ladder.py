"""Handler for ladders: rows of rungs by load and age."""

from __future__ import annotations

from tailc.pipeline.handlers.handler import ProblemHandler, at_best_degree, for_requests
from tailc.pipeline.ladders import solve_for_schedules
from tailc.pipeline.remarks import dominated_degrees
from tailc.pipeline.settings import ladder_settings, swept_target

HANDLER = ProblemHandler(
    solve_for_schedules,
    ladder_settings,
    for_requests(at_best_degree),
    dominated_degrees,
    candidate=swept_target,
)
