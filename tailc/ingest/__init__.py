"""Measurements as the tools write them -> counted demands; one reader a format."""

from tailc.kernel_cache import ensure_kernel_cache

ensure_kernel_cache()
