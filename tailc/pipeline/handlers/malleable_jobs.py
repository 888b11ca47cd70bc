"""Servers of malleable jobs."""

from __future__ import annotations

from tailc.pipeline.clusters.solved import solve_for_clusters
from tailc.pipeline.clusters.told import cluster_remarks, cluster_settings
from tailc.pipeline.handlers.handler import ProblemHandler, no_requests

HANDLER = ProblemHandler(solve_for_clusters, cluster_settings, no_requests, cluster_remarks)
