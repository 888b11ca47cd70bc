"""How the loop over the events of a server is compiled.

`loop` is for functions that allocate nothing and whose caller owns every array: they go without
counting references (`_nrt`, numba's word for its runtime), which would take longer than the replay.

`part` is for what the loop is made of. It is compiled once, and then written into each place that
calls it: as a function of its own it would get every array of its arguments by its fields, on each
call. With `inline="always"` numba would type it anew at each place, and look-aheads that are called
from four places, with what they call, take three times as long to compile.

`once` is for a part that is called from one place: it is typed and compiled as lines of its caller,
which takes a quarter less than first as a function of its own.
"""

from __future__ import annotations

from numba import njit

# `_nrt` is not in the stubs.
loop = njit(cache=True, nogil=True, _nrt=False)  # pyright: ignore[reportCallIssue]
part = njit(nogil=True, _nrt=False, forceinline=True)  # pyright: ignore[reportCallIssue]
once = njit(inline="always")
