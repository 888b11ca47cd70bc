"""Read the output of measurement tools to histograms of request times; one reader per format."""

from tailc.kernel_cache import ensure_kernel_cache

ensure_kernel_cache()
