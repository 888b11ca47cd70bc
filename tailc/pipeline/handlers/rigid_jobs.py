"""Handler for the placement of rigid jobs in racks."""

from __future__ import annotations

from tailc.pipeline.handlers.handler import ProblemHandler, without_slo_check
from tailc.pipeline.rigid_jobs.evidence import racks_remarks, racks_settings
from tailc.pipeline.rigid_jobs.solve import solve_for_racks

HANDLER = ProblemHandler(solve_for_racks, racks_settings, without_slo_check, racks_remarks)
