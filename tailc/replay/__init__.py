"""Discrete-event replay of a policy's forms on measured demand."""

from tailc.kernel_cache import ensure_kernel_cache

ensure_kernel_cache()
