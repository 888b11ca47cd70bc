"""Execution models: how a machine runs requests or jobs, one folder each, and what they share."""

from tailc.kernel_cache import ensure_kernel_cache

ensure_kernel_cache()
