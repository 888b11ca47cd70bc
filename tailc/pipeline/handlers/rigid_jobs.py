"""Places of rigid jobs in racks."""

from __future__ import annotations

from tailc.pipeline.handlers.handler import ProblemHandler, no_requests
from tailc.pipeline.racks.solved import solve_for_racks
from tailc.pipeline.racks.told import racks_remarks, racks_settings

HANDLER = ProblemHandler(solve_for_racks, racks_settings, no_requests, racks_remarks)
