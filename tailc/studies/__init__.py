"""Studies: what commands other than compile compute, such as why, sweep, size and tune."""

from tailc.kernel_cache import ensure_kernel_cache

ensure_kernel_cache()
