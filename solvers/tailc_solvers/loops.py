"""Decorators that compile Python loops to machine code with numba.

numba compiles a function again for each literal number that it is called with. Pass `np.int64(0)`
in place of 0 where another call passes a variable.
"""

from numba import njit

plain_loops = njit(cache=True, nogil=True, _nrt=False)  # pyright: ignore[reportCallIssue]
"""For functions that allocate nothing. Without `_nrt=False` numba counts references to each array
argument: that takes ten times as long as the arithmetic, and threads wait for the counters."""

inner_loops = njit(  # pyright: ignore[reportCallIssue]
    cache=True, nogil=True, _nrt=False, no_cpython_wrapper=True, no_cfunc_wrapper=True
)
"""As `plain_loops`, for functions that only compiled functions call. Wrappers for callers in Python
take a third of the compile time if arguments are tuples of arrays."""

inlined_loops = njit(cache=True, nogil=True, _nrt=False, inline="always")  # pyright: ignore[reportCallIssue]
"""As `plain_loops`, for small functions that are called from many places of a loop: passing arrays
costs as much as fifty additions."""
