"""The passes of a compile, in order: read a spec, formulate a problem, solve it, write a policy."""

from tailc.kernel_cache import ensure_kernel_cache

ensure_kernel_cache()
