"""The passes of a compile, in order: read, reduce, solve, emit, write."""

from tailc.kernel_cache import ensure_kernel_cache

ensure_kernel_cache()
