"""Options of numba for inner loops."""

from numba import njit

plain_loops = njit(cache=True, nogil=True, _nrt=False)  # pyright: ignore[reportCallIssue]
"""For functions that allocate nothing. Without it numba counts references to every array that is
handed down: ten times the arithmetic here, and threads wait for one another on the counters."""

inlined_loops = njit(cache=True, nogil=True, _nrt=False, inline="always")  # pyright: ignore[reportCallIssue]
"""The same for small functions that are called from many places in a loop: handing arrays down
costs as much as fifty additions."""
