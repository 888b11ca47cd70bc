"""Handler for the servers of malleable jobs."""

from __future__ import annotations

from tailc.pipeline.handlers.handler import ProblemHandler, without_slo_check
from tailc.pipeline.malleable_jobs.evidence import cluster_remarks, cluster_settings
from tailc.pipeline.malleable_jobs.solve import solve_for_clusters

HANDLER = ProblemHandler(solve_for_clusters, cluster_settings, without_slo_check, cluster_remarks)
