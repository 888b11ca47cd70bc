"""How inner loops are compiled."""

from numba import njit

plain_loops = njit(cache=True, nogil=True, _nrt=False)  # pyright: ignore[reportCallIssue]
"""For functions that allocate nothing. Without it numba counts references to every array that is
handed down: ten times the arithmetic here, and threads wait for one another on the counters."""
