"""Execution models: simulators of how a machine runs requests or jobs, one folder each."""

from tailc.kernel_cache import ensure_kernel_cache

ensure_kernel_cache()
